package source

// formats is the table of sources; the first need no key.
var formats = []*Format{
	plainCSV,
	awsPriceList, awsSpotAdvisor, awsSpotFeed, azureRetail, oci, vultr,
	skypilot, gpuhunt,
	openRouter, modelsDev, liteLLM,
	ecb, frankfurter,
	awsSpotHistory, awsCapacityBlocks, gcpSKUs,
	runpod, runpodGraphQL, vast, lambdaCloud, verda, verdaHistory, primeIntellect, shadeform, digitalOcean, hyperstack, together, scaleway, ovh,
	akash, hyperbolic, cudo, sfCompute,
	compshare, aliyun, tencent, volcengine, autodl,
	focus, infracost,
}
