package catalog

import "strings"

// vendorWord is the vendor that a word names, folded as names are: the maker
// itself, or a series that only it sells and that says nothing about the model.
func vendorWord(word string) string {
	switch word {
	case "nvidia", "geforce", "tesla":
		return "nvidia"
	case "amd", "instinct":
		return "amd"
	case "intel", "habana":
		return "intel"
	case "aws", "amazon":
		return "aws"
	case "google":
		return "google"
	case "huawei", "ascend":
		return "huawei"
	case "cambricon":
		return "cambricon"
	case "moore", "threads", "moorethreads", "mtt":
		return "moorethreads"
	case "iluvatar", "corex":
		return "iluvatar"
	case "enflame":
		return "enflame"
	case "biren":
		return "biren"
	case "hygon", "dcu":
		return "hygon"
	case "metax":
		return "metax"
	case "kunlunxin":
		return "kunlunxin"
	}
	return ""
}

// isNoise reports whether a word says nothing about which card it is. "Ada",
// "Pro", "Super", "Laptop", "Max-Q" and "MIG" do say something and are kept.
func isNoise(word string) bool {
	switch word {
	case "gpu", "gpus", "graphics", "card", "cards", "mode", "ext", "tensor", "core", "cores", "accelerator",
		"generation", "edition", "server", "workstation", "se", "bse", "ws", "wk",
		"blackwell", "hopper", "ampere", "lovelace", "turing", "volta", "pascal",
		"superchip", "module", "nvlink", "nvswitch", "infiniband", "ecc",
		"device", "pod", "chip", "cloud", "vram":
		return true
	}
	return false
}

// chineseWords are the words that Chinese sellers write around a model. An
// empty meaning is noise; "#" counts the number before it.
var chineseWords = [...]struct{ word, means string }{
	{"英伟达", "nvidia"},
	{"辉达", "nvidia"},
	{"超威", "amd"},
	{"英特尔", "intel"},
	{"华为", "huawei"},
	{"昇腾", "ascend"},
	{"寒武纪", "cambricon"},
	{"思元", "mlu"},
	{"摩尔线程", "moorethreads"},
	{"天数智芯", "iluvatar"},
	{"天垓", "tiangai"},
	{"智铠", "zhikai"},
	{"燧原", "enflame"},
	{"壁仞", "biren"},
	{"壁砺", "biren"},
	{"海光", "hygon"},
	{"沐曦", "metax"},
	{"昆仑芯", "kunlunxin"},
	{"魔改", "mod"},
	{"加速卡", ""},
	{"算力卡", ""},
	{"计算卡", ""},
	{"专业卡", ""},
	{"显卡", ""},
	{"显存", ""},
	{"科技", ""},
	{"服务器", ""},
	{"单卡", ""},
	{"双卡", ""},
	{"四卡", ""},
	{"八卡", ""},
	{"整机", ""},
	{"版", ""},
	{"卡", "#"},
	{"张", "#"},
	{"块", "#"},
}

// chinese takes a run of Chinese characters word by word. A character that is
// in no known word stays in the core.
func (s *spec) chinese(run string) {
	for run != "" {
		rest, ok := s.chineseWord(run)
		if !ok {
			s.add(run)
			return
		}
		run = rest
	}
}

func (s *spec) chineseWord(run string) (rest string, ok bool) {
	for _, w := range chineseWords {
		if rest, ok = strings.CutPrefix(run, w.word); !ok {
			continue
		}
		switch w.means {
		case "":
		case "#":
			s.count, s.num = s.num, 0
		default:
			s.take(w.means)
		}
		return rest, true
	}
	return run, false
}
