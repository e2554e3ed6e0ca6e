// Gives all files of the package the same modes in every clone, whatever the umask is: with a build, the same commit makes the same tarball.
import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const { files } = JSON.parse(await readFile("package.json", "utf8"));
const folders = files.filter((name) => !/[!.]/.test(name));
const entries = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })));
const below = entries.flat().filter((entry) => entry.isFile());
const packed = below.map(({ parentPath, name }) => join(parentPath, name));
const texts = ["LICENSE", "README.md", "package.json", ...files.filter((name) => name.endsWith(".md"))];
for (const file of [...packed, ...texts]) await chmod(file, file === join("dist", "main.js") ? 0o755 : 0o644);
