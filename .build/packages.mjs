// The packages of others that stand in dist/: their notices, for which their licences ask, and the bill of materials.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Directories of the packages of which an output holds anything, as esbuild's metafile names the files. */
export function bundledPackages({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  const found = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(found)].sort();
}

async function readPackage(directory) {
  return JSON.parse(await readFile(`${directory}/package.json`, "utf8"));
}

/** A package whose archive has no text of its licence. */
const yogaLicence = `Copyright (c) Meta Platforms, Inc. and affiliates.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** A package without a licence that is known fails the build. */
export async function thirdPartyNotices(directories) {
  const notices = await Promise.all(directories.map(noticeOf));
  const title = "roster contains what others have written. Each part stands here with its licence.\n";
  return [title, ...notices.sort()].join(`\n${"-".repeat(80)}\n\n`);
}

async function noticeOf(directory) {
  const { name, version, license } = await readPackage(directory);
  const names = (await readdir(directory)).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file)).sort();
  const texts = await Promise.all(names.map((file) => readFile(`${directory}/${file}`, "utf8")));
  if (texts.length === 0) texts.push(name === "yoga-layout" ? yogaLicence : await licenceInReadme(directory));
  const text = texts.map((one) => one.replaceAll("\r\n", "\n").trim()).join("\n\n");
  if (text === "") throw new Error(`${name} ${version} has no text of its licence (${license}): add it here.`);
  return `${name} ${version} (${license})\n\n${text}\n`;
}

async function licenceInReadme(directory) {
  const readme = await readFile(`${directory}/README.md`, "utf8").catch(() => "");
  const text = /^#+ licen[cs]e\s*\n([\s\S]*)/im.exec(readme)?.[1] ?? "";
  return text.includes("Permission is hereby granted") ? text : "";
}

/** As npm writes it (CycloneDX), of these packages alone. The same sources give the same bytes: it has no time and no random number. */
export async function billOfMaterials(directories) {
  const npm = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const { stdout } = await promisify(execFile)("npm", npm, { maxBuffer: 2 ** 26, shell: process.platform === "win32" });
  const { serialNumber: _, metadata, components, dependencies, ...bill } = JSON.parse(stdout);
  const named = await Promise.all(directories.map(readPackage));
  const kept = new Set(named.map(({ name, version }) => `${name}@${version}`));
  const own = metadata.component["bom-ref"];
  const { name } = await readPackage(".");
  const bundled = components.filter((component) => kept.has(component["bom-ref"]));
  const needs = dependencies.filter(({ ref }) => ref === own || kept.has(ref));
  if (bundled.length !== kept.size)
    throw new Error("A bundled package is not what package-lock.json says: run npm ci.");
  return `${JSON.stringify(
    {
      ...bill,
      metadata: { lifecycles: [{ phase: "build" }], component: { ...metadata.component, type: "application", name } },
      components: bundled.map(({ properties: _, ...component }) => ({ ...component, scope: "required" })),
      dependencies: needs.map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) })),
    },
    undefined,
    2,
  )}\n`;
}
