# Godot's own loader reads Godot.exr; prints its size, extremes and some heights.
extends SceneTree

func _init():
	var image = Image.new()
	if image.load("Godot.exr") != OK:
		print("cannot load")
		quit()
		return
	image.lock()
	var low = INF
	var high = -INF
	for y in image.get_height():
		for x in image.get_width():
			low = min(low, image.get_pixel(x, y).r)
			high = max(high, image.get_pixel(x, y).r)
	print("heights ", image.get_width(), " ", image.get_height(), " ", low, " ", high, " ",
			image.get_pixel(10, 20).r, " ", image.get_pixel(120, 250).r)
	quit()
