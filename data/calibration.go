package data

import _ "embed" // the fitted factors

// CalibrationTwin is the compiled calibration, to be read by
// estimate.DecodeCalibration. cmd/gencalibration writes it.
//
//go:embed calibration.bin
var CalibrationTwin []byte
