import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { interruptionOf, leaveClosedTerminal, type Output, redacted } from "../../../src/cli/host.ts";
import { newSecrets } from "../../../src/library/redaction.ts";

/** A process that notes how it is ended. */
function aProcess() {
  const ends: unknown[] = [];
  const fake = Object.assign(new EventEmitter(), {
    pid: 7,
    kill: (pid: number, by: string) => void ends.push([pid, by, fake.listenerCount(by)]),
    exit: (code: number) => void ends.push(code),
  });
  return { fake, ends, process: fake as unknown as NodeJS.Process };
}

test.each([
  ["whose terminal was closed is ended by the signal, which Node's own way out would turn into an abort", [0], 1],
  ["without a terminal takes Node's own way out", [], 0],
])("a process %s", (_, terminals, kills) => {
  const { fake, ends, process } = aProcess();
  const interruption = interruptionOf(process, terminals);
  fake.emit("SIGHUP");
  expect([interruption.signal.aborted, ends]).toEqual([true, []]);
  leaveClosedTerminal(interruption, process, terminals, () => true);
  expect(ends.slice(0, 1)).toEqual(kills === 1 ? [[7, "SIGHUP", 0]] : []);
});

test.each(["SIGINT", "SIGTERM"] as const)("a process that was ended by %s takes Node's own way out", (by) => {
  const { fake, ends, process } = aProcess();
  const interruption = interruptionOf(process, [0]);
  fake.emit(by);
  leaveClosedTerminal(interruption, process, [0], () => true);
  expect([interruption.by(), ends]).toEqual([by, []]);
});

test.each([
  ["is ended by its signal, though that has not come", [0], [[7, "SIGHUP", 0], 129]],
  ["is left alone where it never was one", [], []],
] as const)("a process whose terminal is none any more %s", (_, terminals, ended) => {
  const { ends, process } = aProcess();
  leaveClosedTerminal(interruptionOf(process, terminals), process, terminals, () => false);
  expect(ends).toEqual(ended);
});

test("on Windows, which knows no such signal, a process whose terminal was closed takes Node's own way out", () => {
  const { fake, ends, process } = aProcess();
  Object.assign(fake, { platform: "win32" });
  const interruption = interruptionOf(process, [0]);
  fake.emit("SIGHUP");
  leaveClosedTerminal(interruption, process, [0], () => true);
  expect(ends).toEqual([129]);
});

test("the width of a terminal is asked each time, also where secrets are taken out", () => {
  const widths = [80, 100];
  const output: Output = {
    write: () => undefined,
    isTerminal: true,
    hasColours: false,
    get columns() {
      return widths.shift();
    },
  };
  const shown = redacted(output, newSecrets());
  expect([shown.columns, shown.columns]).toEqual([80, 100]);
});
