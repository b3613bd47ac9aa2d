// The Khronos validator over files: node validate_gltf.js FOLDER_OF_NODE_MODULES FILE...
// Exit status 1 for an error or a warning, 77 where the validator is not installed.
const fs = require('fs');
const path = require('path');
let validator;
try {
    validator = require(path.resolve(process.argv[2], 'node_modules', 'gltf-validator'));
} catch (error) {
    console.log(`skipped: ${error.message.split('\n')[0]}`);
    process.exit(77);
}
Promise.all(process.argv.slice(3).map(async file => {
    const {issues} = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
    issues.messages.filter(m => m.severity < 2).forEach(m => console.log(JSON.stringify(m)));
    return issues.numErrors + issues.numWarnings;
})).then(counts => process.exit(counts.some(n => n > 0) ? 1 : 0), error => {
    console.log(error);
    process.exit(1);
});
