// Heights and a cave of karst in Unity: put this into Assets/Editor, then
//     Assets > karst > Import heights...    FILE.import.json of  karst heightmap --profile unity -o FILE.raw
//     Assets > karst > Import cave...       FILE.glb of  karst cave --size 96x96x48 -o FILE.glb
//
// Not run in Unity: written from its documentation. The tests run its import of heights with terrains
// that only keep what they are given.
//
// A cave needs a package that imports glTF, such as com.unity.cloud.gltfast.
using System;
using System.IO;
using UnityEditor;
using UnityEngine;

public static class KarstImport
{
    // What is read of FILE.import.json; the names are the file's.
    [Serializable]
    class Notes
    {
        public string profile;
        public Numbers import;
        public Holes holes;
        public Tile[] files;
        public double scale_m;
    }

    [Serializable]
    class Numbers
    {
        public int heightmap_resolution;
        public float terrain_width;
        public float terrain_height;
        public float terrain_length;
        public float position_y;
    }

    [Serializable]
    class Holes
    {
        public string[] files;
    }

    [Serializable]
    class Tile
    {
        public string file;
        public float[] north_west_m;
    }

    [MenuItem("Assets/karst/Import heights...")]
    static void ImportHeights()
    {
        string path = EditorUtility.OpenFilePanel("Heights of karst", "", "json");
        if (path == "")
        {
            return;
        }
        Notes notes = JsonUtility.FromJson<Notes>(File.ReadAllText(path));
        if (notes.profile != "unity")
        {
            throw new InvalidDataException(path + " is not of --profile unity");
        }
        string folder = Path.GetDirectoryName(path);
        for (int i = 0; i < notes.files.Length; ++i)
        {
            TerrainData data = MakeData(notes, File.ReadAllBytes(Path.Combine(folder, notes.files[i].file)));
            if (notes.holes != null && notes.holes.files != null && i < notes.holes.files.Length)
            {
                data.SetHoles(0, 0, ReadHoles(Path.Combine(folder, notes.holes.files[i])));
            }
            string name = Path.GetFileNameWithoutExtension(notes.files[i].file);
            AssetDatabase.CreateAsset(data, AssetDatabase.GenerateUniqueAssetPath("Assets/" + name + ".asset"));
            GameObject terrain = Terrain.CreateTerrainGameObject(data);
            terrain.name = name;
            terrain.GetComponent<Terrain>().allowAutoConnect = true;
            // North is +Z, and the north-western corner of the map is the origin.
            float[] corner = notes.files[i].north_west_m;
            terrain.transform.position = new Vector3(
                corner[0], notes.import.position_y, -corner[1] - notes.import.terrain_length);
            Undo.RegisterCreatedObjectUndo(terrain, "Import heights");
        }
    }

    static TerrainData MakeData(Notes notes, byte[] numbers)
    {
        int side = notes.import.heightmap_resolution;
        if (numbers.Length != side * side * 2)
        {
            throw new InvalidDataException("not " + side + " x " + side + " numbers of 16 bits");
        }
        TerrainData data = new TerrainData();
        data.heightmapResolution = side; // before the size, which it changes
        data.size = new Vector3(notes.import.terrain_width, notes.import.terrain_height,
                                notes.import.terrain_length);
        // The rows are from the south, as Unity's.
        double share = notes.scale_m / notes.import.terrain_height;
        float[,] heights = new float[side, side];
        for (int z = 0, at = 0; z < side; ++z)
        {
            for (int x = 0; x < side; ++x, at += 2)
            {
                heights[z, x] = (float)((numbers[at] | numbers[at + 1] << 8) * share);
            }
        }
        data.SetHeights(0, 0, heights);
        return data;
    }

    // True is ground. Pixels count from the bottom, which is the south.
    static bool[,] ReadHoles(string path)
    {
        Texture2D picture = new Texture2D(2, 2);
        if (!picture.LoadImage(File.ReadAllBytes(path)))
        {
            throw new InvalidDataException(path + " is no picture");
        }
        Color32[] pixels = picture.GetPixels32();
        bool[,] ground = new bool[picture.height, picture.width];
        for (int i = 0; i < pixels.Length; ++i)
        {
            ground[i / picture.width, i % picture.width] = pixels[i].r != 0;
        }
        UnityEngine.Object.DestroyImmediate(picture);
        return ground;
    }

    [MenuItem("Assets/karst/Import cave...")]
    static void ImportCave()
    {
        string path = EditorUtility.OpenFilePanel("Cave of karst", "", "glb");
        if (path == "")
        {
            return;
        }
        string asset = "Assets/" + Path.GetFileName(path);
        if (Path.GetFullPath(path) != Path.GetFullPath(asset))
        {
            File.Copy(path, asset, true);
        }
        AssetDatabase.ImportAsset(asset);
        GameObject model = AssetDatabase.LoadAssetAtPath<GameObject>(asset);
        if (model == null)
        {
            throw new InvalidDataException("no package of this project imports glTF: add com.unity.cloud.gltfast");
        }
        GameObject cave = (GameObject)PrefabUtility.InstantiatePrefab(model);
        // Importers of glTF negate x: half a turn brings east to +X and north to +Z, as of the terrain.
        cave.transform.rotation = Quaternion.Euler(0, 180, 0);
        foreach (MeshFilter filter in cave.GetComponentsInChildren<MeshFilter>())
        {
            filter.gameObject.AddComponent<MeshCollider>().sharedMesh = filter.sharedMesh;
        }
        Undo.RegisterCreatedObjectUndo(cave, "Import cave");
    }
}
