// Writes the declared JSON Schemas, and compiles all into plain functions, so that no command pays for a schema compiler at its start.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import Ajv from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { tsImport } from "tsx/esm/api";

/** The formats that roster writes and reads back: one module each, so that a command loads only what it reads. */
const persistedFormats = {
  "fleet-summary": "validFleetSummary",
  "log-event": "validLogEvent",
  plan: "validPlanDocument",
  "plan-file": "validPlanFile",
  snapshot: "validSnapshot",
  state: "validState",
};

export async function compileValidators() {
  const { declaredSchemas } = await tsImport("../src/cli/schemas.ts", import.meta.url);
  for (const [file, schema] of Object.entries(declaredSchemas))
    await writeFile(`schemas/${file}`, JSON.stringify(schema));
  const biome = ["node_modules/@biomejs/biome/bin/biome", "format", "--write", "schemas"];
  const formatted = promisify(execFile)(process.execPath, biome);
  // A check does not need what an editor shows.
  const isShown = (name, value) => name === "description" && typeof value === "string";
  const checked = JSON.stringify(declaredSchemas, (name, value) => (isShown(name, value) ? undefined : value));
  const schemas = Object.entries(JSON.parse(checked)).map(([file, schema]) => [file.split(".")[0], schema]);
  for (const [format, name] of Object.entries(persistedFormats)) {
    const ajv = new Ajv({ code: { source: true, esm: true }, strict: true, inlineRefs: false });
    addFormats(ajv);
    for (const [other, schema] of schemas) ajv.addSchema(schema, persistedFormats[other]);
    await writeModule("src/codec/generated", format, ajv, { [name]: name });
  }
  const { requestBodies } = await tsImport("../src/reference-server/routes/bodies.ts", import.meta.url);
  const ajv = new Ajv({ code: { source: true, esm: true }, allErrors: true });
  const names = Object.entries(requestBodies).map(([name, schema]) => {
    const valid = `valid${name[0].toUpperCase()}${name.slice(1)}`;
    ajv.addSchema(schema, valid);
    return [valid, valid];
  });
  await writeModule("src/reference-server/generated", "request-bodies", ajv, Object.fromEntries(names));
  await formatted;
}

async function writeModule(folder, file, ajv, names) {
  await mkdir(folder, { recursive: true });
  await writeFile(`${folder}/${file}.js`, asModule(standaloneCode(ajv, names)));
  const declared = Object.keys(names).map((name) => `export declare const ${name}: Validator;\n`);
  const fault = "{ instancePath: string; keyword: string; message?: string; params: Record<string, unknown> }";
  const validator = `export interface Fault ${fault}\nexport interface Validator { (value: unknown): boolean; errors?: Fault[] | null }`;
  await writeFile(`${folder}/${file}.d.ts`, `${validator}\n${declared.join("")}`);
}

/** The generated code asks for its few runtime helpers with require; an ES module imports them. Nobody reads which part of a schema refused a value. */
function asModule(code) {
  const imports = new Map();
  const body = code.replace(/schemaPath:"(?:[^"\\]|\\.)*",/g, "").replace(/require\("([^"]+)"\)/g, (_, path) => {
    if (!imports.has(path)) imports.set(path, `imported${imports.size}`);
    return imports.get(path);
  });
  // A loader may hand out the default of a CommonJS module, or the module that has it.
  const lines = [...imports].flatMap(([path, name]) => [
    `import ${name}Module from "${path.endsWith(".js") ? path : `${path}.js`}";`,
    `const ${name} = typeof ${name}Module === "function" ? { default: ${name}Module } : ${name}Module;`,
  ]);
  return `// Generated from schemas/ by the build.\n${lines.join("\n")}\n${body}\n`;
}
