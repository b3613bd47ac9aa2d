# Heights and a cave of karst in the open scene of Godot 4: set the two paths, then File > Run in the
# script editor.
#
# Not run in Godot 4: written from its documentation. The tests parse it with a grammar of Godot 4.
#
#     karst heightmap --size 513x513 --cell 2 --profile godot -o valley.exr
#     karst cave --size 96x96x48 -o cave.glb
@tool
extends EditorScript

const HEIGHTS := "res://valley.exr"  # "": none
const CAVE := "res://cave.glb"  # "": none


func _run() -> void:
	var scene := get_scene()
	if scene == null:
		push_error("open a 3D scene first")
		return
	if HEIGHTS != "":
		_import_heights(scene)
	if CAVE != "":
		_import_cave(scene)


func _import_heights(scene: Node) -> void:
	var notes: Variant = JSON.parse_string(FileAccess.get_file_as_string(HEIGHTS + ".import.json"))
	if not notes is Dictionary or notes["profile"] != "godot" or notes["files"].size() != 1:
		push_error(HEIGHTS + " is not one file of --profile godot")
		return
	var image := Image.load_from_file(ProjectSettings.globalize_path(HEIGHTS))
	if image == null or image.get_width() != int(notes["samples"][0]) or image.get_height() != int(notes["samples"][1]):
		push_error(HEIGHTS + " cannot be read, or has another size than its notes say")
		return
	image.convert(Image.FORMAT_RF)
	var cell := float(notes["cell_m"])
	if ClassDB.class_exists("Terrain3D"):
		_make_terrain3d(scene, image, cell)
	else:
		_make_body(scene, image, cell)


# Terrain3D: heights in metres. Its versions differ in whether the position is a corner or the middle.
func _make_terrain3d(scene: Node, image: Image, cell: float) -> void:
	var terrain: Node3D = ClassDB.instantiate("Terrain3D")
	terrain.name = "KarstTerrain"
	_add(scene, scene, terrain)
	terrain.set("vertex_spacing", cell)
	var images: Array[Image] = [image, null, null]
	terrain.get("data").import_images(images, Vector3.ZERO, 0.0, 1.0)


# A body to walk on and a mesh to see. Rows from the north go along +Z; the north-western corner
# comes to the origin. The grid of a HeightMapShape3D has a spacing of 1 around the node.
func _make_body(scene: Node, image: Image, cell: float) -> void:
	var width := image.get_width()
	var depth := image.get_height()
	var metres := image.get_data().to_float32_array()
	var scaled := PackedFloat32Array()
	scaled.resize(metres.size())
	for i in metres.size():
		scaled[i] = metres[i] / cell  # a hole is NaN and stays one
	var shape := HeightMapShape3D.new()
	shape.map_width = width
	shape.map_depth = depth
	shape.map_data = scaled
	var collision := CollisionShape3D.new()
	collision.name = "Heights"
	collision.shape = shape
	collision.scale = Vector3.ONE * cell
	collision.position = Vector3(width - 1, 0, depth - 1) * cell / 2
	var visible := MeshInstance3D.new()
	visible.name = "Mesh"
	visible.mesh = _make_mesh(metres, width, depth, cell)
	var body := StaticBody3D.new()
	body.name = "KarstTerrain"
	_add(scene, scene, body)
	_add(scene, body, collision)
	_add(scene, body, visible)


func _make_mesh(metres: PackedFloat32Array, width: int, depth: int, cell: float) -> ArrayMesh:
	var builder := SurfaceTool.new()
	builder.begin(Mesh.PRIMITIVE_TRIANGLES)
	for i in metres.size():
		var height := 0.0 if is_nan(metres[i]) else metres[i]
		builder.add_vertex(Vector3((i % width) * cell, height, (i / width) * cell))
	for z in depth - 1:
		for x in width - 1:
			var nw := z * width + x
			var corners: Array[int] = [nw, nw + 1, nw + width, nw + 1, nw + width + 1, nw + width]
			if corners.any(func(corner: int) -> bool: return is_nan(metres[corner])):
				continue
			for corner in corners:  # clockwise seen from above, Godot's front
				builder.add_index(corner)
	builder.generate_normals()
	return builder.commit()


func _import_cave(scene: Node) -> void:
	var packed := load(CAVE) as PackedScene
	if packed == null:
		push_error(CAVE + " is not imported as a scene")
		return
	var cave: Node3D = packed.instantiate()
	_add(scene, scene, cave)
	scene.set_editable_instance(cave, true)
	for node: MeshInstance3D in cave.find_children("*", "MeshInstance3D"):
		node.create_trimesh_collision()  # a cave is hollow
		for body in node.get_children():
			body.owner = scene
			for shape in body.get_children():
				shape.owner = scene


func _add(scene: Node, parent: Node, child: Node) -> void:
	parent.add_child(child, true)
	child.owner = scene
