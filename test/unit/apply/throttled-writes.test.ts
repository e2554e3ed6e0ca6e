import { describe, expect, test } from "vitest";
import {
  type RetryPermit,
  type ThrottledKind,
  throttledWrites,
  trackWriteBehaviour,
} from "../../../src/apply/write-behaviour.ts";
import type { WriteBehaviour } from "../../../src/model/capabilities.ts";

function throttledNow(throttling?: NonNullable<WriteBehaviour["throttling"]>) {
  const writes = { prompt: 0, longest: 0, ...(throttling === undefined ? {} : { throttling }) };
  return throttledWrites(trackWriteBehaviour({ writes }, undefined));
}

/** Takes permits in the order in which they are given, and says for which write. */
function queue(asked: readonly (readonly [ThrottledKind, string])[]) {
  const throttled = throttledNow();
  const taken: { readonly name: string; readonly permit: RetryPermit }[] = [];
  for (const [kind, name] of asked) void throttled.acquire(kind).then((permit) => taken.push({ name, permit }));
  const given = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return taken.map(({ name }) => name);
  };
  return {
    throttled,
    given,
    releaseLast: (learned: Parameters<RetryPermit["release"]>[0]) => taken.at(-1)?.permit.release(learned),
  };
}

describe("permits of throttled writes", () => {
  test("come one at a time, and to creations before additions", async () => {
    const { given, releaseLast } = queue([
      ["addition", "Ops"],
      ["addition", "Data"],
      ["creation", "ada"],
      ["creation", "bo"],
    ]);
    const steps: (readonly string[])[] = [];
    for (let step = 0; step < 4; step += 1) {
      steps.push(await given());
      releaseLast("nothing");
    }
    expect(steps).toEqual([["Ops"], ["Ops", "ada"], ["Ops", "ada", "bo"], ["Ops", "ada", "bo", "Data"]]);
  });

  test.each([
    ["nothing after two that had no effect", ["had-no-effect", "had-no-effect", "nothing"], undefined],
    [
      "that there is no effect after three",
      ["had-no-effect", "nothing", "had-no-effect", "had-no-effect"],
      "no-effect",
    ],
    ["that there may be one after the first", ["had-no-effect", "had-an-effect"], "may-have-effect"],
    [
      "that there may be one, whatever comes later",
      ["had-an-effect", "had-no-effect", "had-no-effect", "had-no-effect"],
      "may-have-effect",
    ],
    [
      "that there may be one, although three had none",
      ["had-no-effect", "had-no-effect", "had-no-effect", "had-an-effect"],
      "may-have-effect",
    ],
  ] as const)("teach %s", async (_, learned, effect) => {
    const throttled = throttledNow();
    for (const one of learned) (await throttled.acquire("creation")).release(one);
    expect(throttled.effect).toBe(effect);
  });

  test("know what an earlier run has learned", () => {
    expect(throttledNow("no-effect").effect).toBe("no-effect");
    expect(throttledNow("may-have-effect").effect).toBe("may-have-effect");
  });
});
