import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";

/** The table of rooms in CONTRIBUTING, as a value. Of some rooms only the port may be imported. */
const rooms: Readonly<Record<string, { pure: boolean; rooms: readonly string[]; packages: readonly string[] }>> = {
  codes: { pure: true, rooms: [], packages: [] },
  model: { pure: true, rooms: ["codes"], packages: [] },
  ports: { pure: true, rooms: [], packages: [] },
  yaml: { pure: true, rooms: ["model"], packages: ["yaml"] },
  codec: { pure: true, rooms: ["model"], packages: [] },
  roster: { pure: true, rooms: ["model", "yaml"], packages: [] },
  fleet: { pure: false, rooms: ["model", "ports", "yaml", "roster"], packages: ["p-limit", "pg-boss"] },
  plan: { pure: true, rooms: ["codes", "model", "codec"], packages: [] },
  report: {
    pure: true,
    rooms: ["codes", "model", "log", "codec", "fleet/fleet-summary.ts", "fleet/outcomes.ts"],
    packages: [],
  },
  observe: { pure: false, rooms: ["model", "ports", "codec", "service/port.ts"], packages: ["p-limit"] },
  run: { pure: false, rooms: ["codes", "model", "log", "ports", "service/port.ts"], packages: [] },
  files: { pure: false, rooms: [], packages: [] },
  http: { pure: false, rooms: ["model", "ports"], packages: [] },
  service: { pure: false, rooms: ["model", "ports", "http"], packages: [] },
  log: {
    pure: false,
    rooms: ["model", "codec", "ports", "files", "http"],
    packages: ["aws4fetch", "pg"],
  },
  "reference-server": { pure: false, rooms: ["model", "yaml", "files"], packages: [] },
  library: {
    pure: false,
    rooms: [
      "codes",
      "model",
      "ports",
      "yaml",
      "codec",
      "roster",
      "plan",
      "observe",
      "run",
      "files",
      "http",
      "service",
      "log",
      "report",
    ],
    packages: ["p-limit"],
  },
  screen: { pure: false, rooms: ["codes", "model", "log", "report", "ports"], packages: ["ink", "react"] },
  cli: { pure: false, rooms: ["*"], packages: ["commander", "csv-parse"] },
};

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path}`)
  .filter((file) => /\.tsx?$/u.test(file) && !file.includes("/generated/"))
  .sort()
  .map((file) => ({ file, room: file.split("/")[1] ?? "", source: readFileSync(file, "utf8") }));

function importsOf(source: string): readonly string[] {
  const pattern = /(?<!")(?:from|import)\s*\(?\s*"([^"]+)"/gu;
  return [...source.matchAll(pattern)].map((match) => match[1] ?? "");
}

/** A room may have folders of its own: what counts is where an import leads to. */
function roomOf(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return /^src\/([a-z-]+)\//u.exec(posix.join(posix.dirname(file), specifier))?.[1];
}

function isBuiltin(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

/** Ports stand in the rooms that implement them, and load nothing of these. */
const ports = ["src/log/port.ts", "src/service/port.ts"];
const portRooms = ["model", "ports"];

function violations({ file, room, source }: (typeof files)[number]): readonly string[] {
  if (file === "src/main.ts") return [];
  const rules = rooms[room];
  if (rules === undefined) return [`${file}: ${room} is not a room`];
  const imports = importsOf(source);
  const isPort = ports.includes(file);
  return [
    ...imports.flatMap((one) => strangeRoom(file, isPort ? "its port" : room, isPort ? portRooms : rules.rooms, one)),
    ...imports.flatMap((specifier) => {
      const name = specifier.startsWith(".") || isBuiltin(specifier) ? undefined : specifier.split("/")[0];
      return name === undefined || rules.packages.includes(name) ? [] : [`${file}: imports the package ${name}`];
    }),
    ...(rules.pure || isPort ? impurities(file, source, imports) : []),
  ];
}

function strangeRoom(file: string, room: string, allowed: readonly string[], specifier: string): readonly string[] {
  const to = roomOf(file, specifier);
  const path = posix.join(posix.dirname(file), specifier);
  const isAllowed = allowed.some((one) => one === "*" || one === to || path === `src/${one}`);
  return to === undefined || to === room || isAllowed ? [] : [`${file}: imports from ${to}`];
}

function impurities(file: string, source: string, imports: readonly string[]): readonly string[] {
  const clockless = source.replace(/^\s*(?:\/\/|\/?\*).*$/gmu, "");
  const words =
    /\b(Date\.now|new Date\(\s*\)|Math\.random|performance\.|process\.|setTimeout|setInterval|fetch\(|crypto\.)/u;
  const found = words.exec(clockless)?.[1];
  return [
    ...imports
      .filter((one) => isBuiltin(one) && !pureFunctions.includes(`${file} imports ${one}`))
      .map((specifier) => `${file}: a pure room imports ${specifier}`),
    ...(found === undefined ? [] : [`${file}: a pure room uses ${found}`]),
  ];
}

/** Hashes and the ASCII form of a domain depend on their input alone. */
const pureFunctions = ["src/model/json.ts imports node:crypto", "src/model/address.ts imports node:url"];

/** Rooms to which the command goes through `library/`. Where it does not, the reason is here. */
const behindLibrary = ["http", "observe", "plan", "reference-server", "run", "service"];

const aroundLibrary: Readonly<Record<string, string>> = {
  "src/cli/commands/demo.ts": "runs the reference server",
  "src/cli/commands/serve.ts": "runs the reference server",
  "src/cli/schemas.ts": "lists the formats, for the build",
  "src/cli/settings/setting-table.ts": "decodes `shapes`",
  "src/cli/webhook.ts": "sends to another server than the service",
};

describe("the house", () => {
  test("the command reads, plans, applies and opens states through the library alone, but for what is listed", () => {
    const around = files.filter(({ file, room, source }) => {
      const to = importsOf(source).map((specifier) => roomOf(file, specifier));
      return room === "cli" && to.some((one) => one !== undefined && behindLibrary.includes(one));
    });
    expect(around.map(({ file }) => file)).toEqual(Object.keys(aroundLibrary));
  });

  test("every room imports only what its row names, and pure rooms know no clock, randomness or process", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(violations)).toEqual([]);
  });

  test("only what writes or reads a published format loads its declaration", () => {
    const declared = files.filter(({ file }) => /-format\.ts$/u.test(file)).map(({ file }) => file);
    const loading = files.filter(({ source }) =>
      /^(?:import|export)(?! type)[^"';]*? from "(?:\.\/|[^"]*\/model\/|[^"]*\/cli\/(?=schemas)|[^"]*\/fleet\/|[^"]*\/codec\/|[^"]*\/json\/|[^"]*\/report\/)(?:event|fleet-summary|schemas|[a-z-]+-format)\.ts"/mu.test(
        source,
      ),
    );
    const others = loading.map(({ file }) => file).filter((file) => !declared.includes(file));
    expect(others).toEqual([
      "src/cli/schemas.ts",
      "src/plan/plan-file.ts",
      "src/report/json/json.ts",
      "src/report/json/ndjson.ts",
      "src/report/webhook.ts",
    ]);
    expect(
      files.filter(({ source }) => /import\([^)]*(?:event|fleet-summary|schemas|-format)\.ts/u.test(source)),
    ).toEqual([]);
  });

  test("the help loads no declared format", () => {
    const loaded = new Set(["src/main.ts", "src/cli/command-line/program.ts"]);
    for (const file of loaded) {
      const source = files.find((one) => one.file === file)?.source ?? "";
      for (const [, specifier = ""] of source.matchAll(/^(?:import|export)(?! type)[^;]*? from "(\.[^"]+)";/gmu))
        loaded.add(posix.join(posix.dirname(file), specifier));
    }
    expect(loaded).toContain("src/model/result.ts");
    expect(loaded).not.toContain("src/model/declare.ts");
  });

  test("a violation of each kind is noticed", () => {
    const seen = (file: string, source: string) => violations({ file, room: file.split("/")[1] ?? "", source });
    expect(seen("src/model/x.ts", 'import { a } from "../plan/a.ts";')).toEqual(["src/model/x.ts: imports from plan"]);
    expect(seen("src/plan/x.ts", 'import { a } from "csv-parse/sync";')).toEqual([
      "src/plan/x.ts: imports the package csv-parse",
    ]);
    expect(seen("src/plan/x.ts", 'import { a } from "node:fs";')).toEqual([
      "src/plan/x.ts: a pure room imports node:fs",
    ]);
    expect(seen("src/plan/x.ts", "const now = Date.now();")).toEqual(["src/plan/x.ts: a pure room uses Date.now"]);
    expect(seen("src/plan/x.ts", 'await import("../cli/a.ts");')).toEqual(["src/plan/x.ts: imports from cli"]);
    expect(seen("src/roster/rules/x.ts", 'import { a } from "../sections/a.ts";')).toEqual([]);
    expect(seen("src/roster/rules/x.ts", 'import { a } from "../../plan/a.ts";')).toEqual([
      "src/roster/rules/x.ts: imports from plan",
    ]);
    expect(seen("src/run/x.ts", 'import "../service/port.ts";import "../service/b.ts";')).toHaveLength(1);
    expect(seen("src/elsewhere/x.ts", "")).toEqual(["src/elsewhere/x.ts: elsewhere is not a room"]);
  });

  test("CONTRIBUTING shows the same table", () => {
    const text = readFileSync("CONTRIBUTING.md", "utf8");
    const rows = [...text.matchAll(/^\| `([a-z-]+)\/` \| [^|]* \| [^|]* \| ([^|]*) \| ([^|]*) \|$/gmu)].map((row) => [
      row[1] ?? "",
      words(row[2]),
      words(row[3]),
    ]);
    const table = Object.entries(rooms).map(([room, rules]) => [room, rules.rooms, rules.packages]);
    expect(rows).toEqual(table);
  });
});

function words(cell: string | undefined): readonly string[] {
  const text = (cell ?? "").trim();
  if (text === "everything") return ["*"];
  return text === "nothing" || text === "none" ? [] : text.split(", ").map((word) => word.replaceAll("`", ""));
}
