import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { interruptionOf, leaveClosedTerminal } from "../../../src/cli/host.ts";

/** A process that notes how it is ended. */
function aProcess(isTTY: boolean) {
  const ends: unknown[] = [];
  const fake = Object.assign(new EventEmitter(), {
    pid: 7,
    stdin: { isTTY, fd: 0 },
    stdout: {},
    stderr: {},
    kill: (pid: number, by: string) => void ends.push([pid, by, fake.listenerCount(by)]),
    exit: (code: number) => void ends.push(code),
  });
  return { fake, ends, process: fake as unknown as NodeJS.Process };
}

test.each([
  ["whose terminal was closed is ended by the signal, which Node's own way out would turn into an abort", true, 1],
  ["without a terminal takes Node's own way out", false, 0],
])("a process %s", (_, isTTY, kills) => {
  const { fake, ends, process } = aProcess(isTTY);
  const interruption = interruptionOf(process);
  fake.emit("SIGHUP");
  expect([interruption.signal.aborted, ends]).toEqual([true, []]);
  leaveClosedTerminal(interruption, process, () => true);
  expect(ends.slice(0, 1)).toEqual(kills === 1 ? [[7, "SIGHUP", 0]] : []);
});

test.each(["SIGINT", "SIGTERM"] as const)("a process that was ended by %s takes Node's own way out", (by) => {
  const { fake, ends, process } = aProcess(true);
  const interruption = interruptionOf(process);
  fake.emit(by);
  leaveClosedTerminal(interruption, process, () => true);
  expect([interruption.by(), ends]).toEqual([by, []]);
});

test.each([
  ["is ended by its signal, though that has not come", true, [[7, "SIGHUP", 0], 129]],
  ["is left alone where it never was one", false, []],
] as const)("a process whose terminal is none any more %s", (_, isTTY, ended) => {
  const { ends, process } = aProcess(isTTY);
  leaveClosedTerminal(interruptionOf(process), process, () => false);
  expect(ends).toEqual(ended);
});
