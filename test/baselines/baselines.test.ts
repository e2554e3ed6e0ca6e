import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { notCovered } from "./coverage.ts";
import { type Performance, perform } from "./perform.ts";
import { compare, forgetOthers, isRecording, recordedNames } from "./recorded-files.ts";
import type { Scene } from "./scene.ts";
import { scenes } from "./scenes.ts";

const performances = new Map<string, Performance>();

async function performed(scene: Scene): Promise<Performance> {
  const performance = performances.get(scene.name) ?? (await perform(scene));
  performances.set(scene.name, performance);
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
  test.for(scenes)("is as recorded: $name", async (scene) => {
    const { text } = await performed(scene);
    compare(scene.name, text);
  });

  test("is recorded of these scenes and of no others", () => {
    const names = scenes.map(({ name }) => name).sort();
    if (isRecording) forgetOthers(names);
    expect(recordedNames()).toEqual(names);
  });

  test("is recorded of every command, and with every flag", async () => {
    const all = [];
    for (const scene of scenes) all.push(...(await performed(scene)).ran);
    expect(notCovered(all)).toEqual([]);
  });
});
