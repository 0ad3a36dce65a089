module minleakdraw

go 1.19
