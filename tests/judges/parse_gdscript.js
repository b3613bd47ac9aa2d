// A grammar of Godot 4's GDScript parses scripts: node parse_gdscript.js FOLDER_OF_NODE_MODULES FILE...
// Exit status 1 if one is not GDScript, 77 where the grammar is not installed. It knows no names.
const fs = require('fs');
const path = require('path');
let parser;
try {
    const modules = path.resolve(process.argv[2], 'node_modules');
    const Parser = require(path.join(modules, 'tree-sitter'));
    parser = new Parser();
    parser.setLanguage(require(path.join(modules, 'tree-sitter-gdscript')));
} catch (error) {
    console.log(`skipped: ${error.message.split('\n')[0]}`);
    process.exit(77);
}

// The first place that is no GDScript, or undefined.
function fault(text) {
    const {rootNode} = parser.parse(text);
    const find = node => node.isError || node.isMissing ? node
        : node.children.filter(child => child.hasError).map(find)[0];
    return rootNode.hasError ? find(rootNode) : undefined;
}

let failed = false;
for (const file of process.argv.slice(3)) {
    const text = fs.readFileSync(file, 'utf8');
    const place = fault(text);
    if (place) {
        console.log(`${file}:${place.startPosition.row + 1}: no GDScript`);
        failed = true;
    } else if (!fault(text.replace(') -> void:', ') -> :'))) {
        console.log(`${file}: a fault in it is not found`);
        failed = true;
    } else {
        console.log(`${file} is GDScript`);
    }
}
process.exit(failed ? 1 : 0);
