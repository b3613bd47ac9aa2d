// What examples/unity uses of Unity, written from its documentation, and a Main that runs its import
// of heights: terrains only keep what they are given. It shows what the script makes of karst's files,
// not that Unity agrees.
//     unity.exe FILE.import.json      writes NAME.metres of each terrain, 32-bit floats from the south
using System;
using System.IO;
using System.Reflection;
using System.Runtime.Serialization.Json;
using System.Text;

public static class Program
{
    public static string Path;

    public static void Main(string[] arguments)
    {
        Path = arguments[0];
        typeof(KarstImport).GetMethod("ImportHeights", BindingFlags.NonPublic | BindingFlags.Static).Invoke(null, null);
    }
}

namespace UnityEngine
{
    public class Object
    {
        public string name { get; set; }
        public static void DestroyImmediate(Object obj) { }
    }
    public class Component : Object
    {
        public GameObject gameObject { get { return null; } }
        public Transform transform { get { return null; } }
    }
    public class Transform : Component
    {
        public Vector3 position { get; set; }
        public Quaternion rotation { get { return new Quaternion(); } set { } }
    }
    public class GameObject : Object
    {
        public TerrainData data;
        Transform place = new Transform();
        public Transform transform { get { return place; } }
        public T GetComponent<T>() where T : new() { return new T(); }
        public T[] GetComponentsInChildren<T>() { return null; }
        public T AddComponent<T>() where T : Component { return null; }
    }
    public class Mesh : Object { }
    public class MeshFilter : Component { public Mesh sharedMesh { get { return null; } set { } } }
    public class MeshCollider : Component { public Mesh sharedMesh { get { return null; } set { } } }
    public class Terrain : Component
    {
        public bool allowAutoConnect { get { return false; } set { } }
        public static GameObject CreateTerrainGameObject(TerrainData assignTerrain)
        {
            return new GameObject { data = assignTerrain };
        }
    }
    public class TerrainData : Object
    {
        public float[,] kept;
        int side = 33;
        // As Unity: another resolution changes the size.
        public int heightmapResolution { get { return side; } set { side = value; size = new Vector3(); } }
        public Vector3 size { get; set; }
        public void SetHeights(int xBase, int yBase, float[,] heights)
        {
            if (heights.GetLength(0) != side || heights.GetLength(1) != side)
            {
                throw new ArgumentException("heights");
            }
            kept = heights;
        }
        public void SetHoles(int xBase, int yBase, bool[,] holes) { }
    }
    public class Texture2D : Object
    {
        public Texture2D(int width, int height) { }
        public int width { get { return 0; } }
        public int height { get { return 0; } }
        public Color32[] GetPixels32() { return null; }
    }
    public static class ImageConversion
    {
        public static bool LoadImage(this Texture2D tex, byte[] data) { return false; }
    }
    public struct Color32 { public byte r, g, b, a; }
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
    }
    public struct Quaternion
    {
        public static Quaternion Euler(float x, float y, float z) { return new Quaternion(); }
    }
    public static class JsonUtility
    {
        public static T FromJson<T>(string json)
        {
            var reader = new DataContractJsonSerializer(typeof(T));
            return (T)reader.ReadObject(new MemoryStream(Encoding.UTF8.GetBytes(json)));
        }
    }
}

namespace UnityEditor
{
    public class MenuItem : Attribute { public MenuItem(string itemName) { } }
    public static class EditorUtility
    {
        public static string OpenFilePanel(string title, string directory, string extension)
        {
            return Program.Path;
        }
    }
    public static class AssetDatabase
    {
        public static void CreateAsset(UnityEngine.Object asset, string path) { }
        public static string GenerateUniqueAssetPath(string path) { return ""; }
        public static void ImportAsset(string path) { }
        public static T LoadAssetAtPath<T>(string assetPath) where T : UnityEngine.Object { return null; }
    }
    public static class PrefabUtility
    {
        public static UnityEngine.Object InstantiatePrefab(UnityEngine.Object assetComponentOrGameObject) { return null; }
    }
    public static class Undo
    {
        public static void RegisterCreatedObjectUndo(UnityEngine.Object objectToUndo, string name)
        {
            var made = (UnityEngine.GameObject)objectToUndo;
            var at = made.transform.position;
            var size = made.data.size;
            Console.WriteLine(FormattableString.Invariant(
                $"{made.name} {at.x} {at.y} {at.z} {size.x} {size.y} {size.z}"));
            using (var file = new BinaryWriter(File.Create(made.name + ".metres")))
            {
                foreach (float share in made.data.kept)
                {
                    file.Write(share * size.y + at.y);
                }
            }
        }
    }
}
