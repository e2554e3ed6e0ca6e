import { expect, test } from "vitest";
import type { Host } from "../../../../src/cli/host.ts";
import { screenTerminal } from "../../../../src/cli/progress/progress-observer.ts";
import { insideHost } from "../../../support/inside.ts";

type Wanted = Parameters<typeof screenTerminal>[1];

const nothing = () => undefined;
const terminal: NonNullable<Host["terminal"]> = {
  input: { setRawMode: nothing, on: nothing, off: nothing, resume: nothing, pause: nothing },
  output: { write: nothing, on: nothing, off: nothing },
  hold: () => nothing,
};

test.each<[string, Partial<Wanted>, Readonly<Record<string, string>>, boolean]>([
  ["a screen is shown for people at a terminal", {}, {}, true],
  ["not where lines are asked for", { tui: false }, {}, false],
  ["not among the lines of a trace", { debug: true }, {}, false],
  ["not where a program reads the result", { format: "json" }, {}, false],
  ["not in a pipeline", {}, { CI: "true" }, false],
  ["an empty CI is no pipeline", {}, { CI: "" }, true],
])("%s", (_, flags, env, isShown) => {
  const host = insideHost({ cwd: "/", env });
  const wanted = { format: "text", ...flags } as const;
  const shown = screenTerminal({ ...host, terminal }, wanted);
  expect(shown).toBe(isShown ? terminal : undefined);
  expect(screenTerminal(host, wanted)).toBeUndefined();
});
