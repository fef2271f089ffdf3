module y3bench

go 1.18

require (
	github.com/yomorun/y3 v1.0.5
	github.com/yomorun/y3-codec-golang v1.7.3
)
