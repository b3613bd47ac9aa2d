// What examples/unity uses of Unity, written from its documentation: names and types without code.
// It shows that the script is C# and agrees with these, not that Unity agrees.
using System;

namespace UnityEngine
{
    public class Object
    {
        public string name { get { return ""; } set { } }
        public static void DestroyImmediate(Object obj) { }
    }
    public class Component : Object
    {
        public GameObject gameObject { get { return null; } }
        public Transform transform { get { return null; } }
    }
    public class Transform : Component
    {
        public Vector3 position { get { return new Vector3(); } set { } }
        public Quaternion rotation { get { return new Quaternion(); } set { } }
    }
    public class GameObject : Object
    {
        public Transform transform { get { return null; } }
        public T GetComponent<T>() { return default(T); }
        public T[] GetComponentsInChildren<T>() { return null; }
        public T AddComponent<T>() where T : Component { return null; }
    }
    public class Mesh : Object { }
    public class MeshFilter : Component { public Mesh sharedMesh { get { return null; } set { } } }
    public class MeshCollider : Component { public Mesh sharedMesh { get { return null; } set { } } }
    public class Terrain : Component
    {
        public bool allowAutoConnect { get { return false; } set { } }
        public static GameObject CreateTerrainGameObject(TerrainData assignTerrain) { return null; }
    }
    public class TerrainData : Object
    {
        public int heightmapResolution { get { return 0; } set { } }
        public Vector3 size { get { return new Vector3(); } set { } }
        public void SetHeights(int xBase, int yBase, float[,] heights) { }
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
    public struct Vector3 { public Vector3(float x, float y, float z) { } }
    public struct Quaternion
    {
        public static Quaternion Euler(float x, float y, float z) { return new Quaternion(); }
    }
    public static class JsonUtility { public static T FromJson<T>(string json) { return default(T); } }
}

namespace UnityEditor
{
    public class MenuItem : Attribute { public MenuItem(string itemName) { } }
    public static class EditorUtility
    {
        public static string OpenFilePanel(string title, string directory, string extension) { return ""; }
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
        public static void RegisterCreatedObjectUndo(UnityEngine.Object objectToUndo, string name) { }
    }
}
