import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { notCovered } from "./coverage.ts";
import { type Performance, perform } from "./perform.ts";
import { compare, sceneNames } from "./scene.ts";
import { settings } from "./settings.ts";

const performances = new Map<string, Performance>();

async function performed(name: string): Promise<Performance> {
  const performance = performances.get(name) ?? (await perform(name));
  performances.set(name, performance);
  return performance;
}

/** What a doctor says of Node would differ from one to another. */
beforeAll(() => {
  vi.stubGlobal("process", Object.create(process, { version: { value: "v24.0.0" } }));
});
afterAll(() => void vi.unstubAllGlobals());

/** Loads what commands load when they need it: of a module that is still loading, the time of a scene knows nothing. */
beforeAll(async () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter(isLoadedLate);
  for (const file of files) await import(resolve("src", file));
});

function isLoadedLate(file: string): boolean {
  return file.endsWith(".ts") && !file.endsWith(".d.ts") && file !== "main.ts" && !file.startsWith("screen/");
}

describe("the output of every command", () => {
  test.for(sceneNames)("is as recorded: %s", async (name) => {
    const { text } = await performed(name);
    compare(name, text);
  });

  test("is recorded of every world that is set up", () => {
    expect(Object.keys(settings).filter((name) => !sceneNames.includes(name))).toEqual([]);
  });

  test("is recorded of every command, and with every flag", async () => {
    const all = [];
    for (const name of sceneNames) all.push(...(await performed(name)).ran);
    expect(notCovered(all)).toEqual([]);
  });
});
