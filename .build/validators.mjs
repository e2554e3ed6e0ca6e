// Compiles JSON Schemas into plain functions, so that no command pays for a schema compiler at its start.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

/** Where each room's validators come from. */
const rooms = [
  { folder: "src/codec/generated", read: () => persistedFormats() },
  { folder: "src/reference-server/generated", read: () => requestBodies() },
];

export async function compileValidators() {
  for (const room of rooms) {
    const source = await room.read();
    if (source === undefined) continue;
    await mkdir(room.folder, { recursive: true });
    await writeFile(`${room.folder}/validators.js`, source.code);
    await writeFile(`${room.folder}/validators.d.ts`, declarations(source.names));
  }
}

/** The formats that roster writes and reads back, by the name of their validator. */
async function persistedFormats() {
  const files = { validState: "state", validJournalLine: "journal-line", validPlanDocument: "plan" };
  const ajv = new Ajv({ code: { source: true, esm: true }, strict: true, allErrors: false });
  addFormats(ajv);
  const names = {};
  for (const [name, file] of Object.entries(files)) {
    const text = await readIfThere(`schemas/${file}.schema.json`);
    if (text === undefined) continue;
    const schema = JSON.parse(text);
    ajv.addSchema(schema, name);
    names[name] = name;
  }
  return Object.keys(names).length === 0 ? undefined : { code: inline(standaloneCode(ajv, names)), names };
}

/** The request bodies of the account service, by operation. */
async function requestBodies() {
  const text = await readIfThere("schemas/account-service.openapi.yaml");
  if (text === undefined) return undefined;
  const description = parse(text);
  const ajv = new Ajv2020({ code: { source: true, esm: true }, strict: false, allErrors: true });
  addFormats(ajv);
  const id = "account-service";
  ajv.addSchema({ $id: id, components: description.components });
  const names = {};
  for (const methods of Object.values(description.paths)) {
    for (const operation of Object.values(methods)) {
      const schema = operation?.requestBody?.content?.["application/json"]?.schema;
      if (schema === undefined) continue;
      const name = `valid${operation.operationId[0].toUpperCase()}${operation.operationId.slice(1)}`;
      ajv.addSchema({ ...absolute(schema, id), $id: name }, name);
      names[name] = name;
    }
  }
  return { code: inline(standaloneCode(ajv, names)), names };
}

function absolute(schema, id) {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${id}#/`));
}

/** The generated code asks for its few runtime helpers with require; an ES module imports them. */
function inline(code) {
  const imports = new Map();
  const body = code.replace(/require\("([^"]+)"\)/g, (_, path) => {
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

function declarations(names) {
  const lines = Object.keys(names).map((name) => `export declare const ${name}: Validator;`);
  return `export interface Fault { instancePath: string; keyword: string; message?: string; params: Record<string, unknown> }
export interface Validator { (value: unknown): boolean; errors?: Fault[] | null }
${lines.join("\n")}
`;
}

async function readIfThere(path) {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
