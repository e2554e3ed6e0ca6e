import { setImmediate as turn } from "node:timers/promises";
import { Text } from "ink";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultPrivilegedRoles } from "../../../src/model/values.ts";
import { plain } from "../../../src/report/document/tree.ts";
import { reviewOnScreen } from "../../../src/screen/review.tsx";
import { openStage, useSize } from "../../../src/screen/stage.tsx";
import { aTerminal } from "../../support/noted-terminal.ts";
import { samplePlan } from "../../support/report-samples.ts";

const wiped = "\u{1B}[2J\u{1B}[H";
const entered = `\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h${wiped}`;
const left = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l";

const patience = { timeout: 20_000 };

function Size({ sizes }: { readonly sizes: unknown[] }) {
  const size = useSize();
  sizes.push(size);
  return <Text>Shown</Text>;
}

/** No signal is sent here, also none of those with which a library ends the process once nobody else listens for its own. */
const kill = vi.spyOn(process, "kill").mockReturnValue(true);
beforeEach(() => void kill.mockClear());
afterAll(() => kill.mockRestore());

function Defect(): never {
  throw new Error("a defect");
}

/** A stage on the whole terminal, the sizes that it was drawn in, and what happened to the terminal but for frames. */
async function opened(size?: { columns?: number; rows?: number }) {
  const parts = aTerminal(size);
  const sizes: unknown[] = [];
  const options = { area: "whole-terminal", paint: plain, onDefect: vi.fn() } as const;
  const stage = openStage(parts.terminal, <Size sizes={sizes} />, options);
  await drawn();
  const taken = () => parts.noted.filter((one) => one === entered || one === left || /^[a-z]/u.test(one));
  return { ...parts, stage, sizes, taken, onDefect: options.onDefect };
}

async function drawn(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await turn();
}

describe("a terminal that a screen takes", () => {
  test("is given back as it was, once, and then what others wrote meanwhile comes", async () => {
    const { stage, input, output, taken } = await opened();
    stage.close();
    stage.close();
    expect(taken()).toEqual(["hold", entered, "raw true", "resume", "raw false", "pause", left, "release"]);
    expect(["data", "end", "error"].map((event) => input.listenerCount(event))).toEqual([0, 0, 0]);
    expect(output.listenerCount("resize")).toBe(0);
  });

  test("is given back when the process ends without asking", async () => {
    const before = process.listeners("exit");
    const { taken } = await opened();
    const added = process.listeners("exit").filter((listener) => !before.includes(listener));
    for (const listener of added) listener(1);
    expect(taken().slice(-2)).toEqual([left, "release"]);
  });

  test("can change its size", async () => {
    const { stage, output, sizes, noted } = await opened();
    output.columns = 40;
    output.emit("resize");
    await drawn();
    expect([sizes[0], sizes.at(-1)]).toEqual([
      { columns: 20, rows: 5 },
      { columns: 40, rows: 5 },
    ]);
    expect(noted.at(-1)).toBe(`${wiped}\u{1B}[1H\u{1B}[2KShown`);
    stage.close();
  });

  test.each([{}, { columns: 0, rows: 0 }])("that does not know its size (%o) is taken for 80 by 24", async (size) => {
    const { stage, sizes } = await opened(size);
    expect(sizes[0]).toEqual({ columns: 80, rows: 24 });
    stage.close();
  });

  test("interrupts for Ctrl-C, also among other keys", async () => {
    const { stage, input } = await opened();
    input.emit("data", "\u{3}");
    await vi.waitUntil(() => kill.mock.calls.length === 1, patience);
    input.emit("data", Buffer.from("ab\u{3}"));
    await vi.waitUntil(() => kill.mock.calls.length === 2, patience);
    expect(kill.mock.calls).toEqual([
      [0, "SIGINT"],
      [0, "SIGINT"],
    ]);
    stage.close();
  });

  test("suspends for Ctrl-Z, and comes back by itself where nothing could stop the process", async () => {
    const { stage, input, noted, taken } = await opened();
    input.emit("data", "\u{1A}");
    await vi.waitUntil(() => kill.mock.calls.length === 1, patience);
    expect([kill.mock.calls, taken().slice(-2)]).toEqual([[[0, "SIGTSTP"]], [left, "raw false"]]);
    await vi.waitUntil(() => taken().at(-1) === "raw true", patience);
    expect(noted).toContain(`${entered}\u{1B}[1H\u{1B}[2KShown`);
    stage.close();
    expect(process.listenerCount("SIGCONT")).toBe(0);
  });

  test("that was closed ends roster as its signal does", async () => {
    const ended = vi.fn();
    process.once("SIGHUP", ended);
    const { stage, input } = await opened();
    input.emit("end");
    expect(ended).toHaveBeenCalledOnce();
    stage.close();
  });

  test("is given back where a component throws", async () => {
    const { stage, onDefect, taken } = await opened();
    stage.show(<Defect />);
    await drawn();
    stage.close();
    expect([onDefect.mock.calls.length, taken().slice(-2)]).toEqual([1, [left, "release"]]);
  });
});

describe("a review on a terminal", () => {
  function reviewing(signal = new AbortController().signal) {
    const { terminal, input, noted } = aTerminal({ columns: 80, rows: 24 });
    const about = { plan: samplePlan, privileged: defaultPrivilegedRoles };
    const answer = reviewOnScreen(about, { terminal, paint: plain, signal });
    const isShown = () => noted.includes(entered) && input.listenerCount("data") > 0;
    return { answer, input, noted, isShown };
  }

  test("takes nothing that was typed before it was shown", async () => {
    const { answer, input, isShown } = reviewing();
    input.emit("data", "ayes\r");
    await vi.waitUntil(isShown, patience);
    input.emit("data", "q");
    expect(await answer).toBe("declined");
  });

  test("takes keys that come together one after the other", async () => {
    const { answer, input, isShown, noted } = reviewing();
    await vi.waitUntil(isShown, patience);
    input.emit("data", "jjaayes\r");
    await drawn();
    input.emit("data", "\u{15}yes\r");
    expect(await answer).toBe("approved");
    expect(noted.at(-1)).toBe("release");
  });

  test("writes the rows that a key changes, each at its place, and no others", async () => {
    const { answer, input, isShown, noted } = reviewing();
    await vi.waitUntil(isShown, patience);
    await drawn();
    const before = noted.length;
    input.emit("data", "j");
    await drawn();
    const row = (at: number, text: string) => `\u{1B}[${at}H\u{1B}[2K${text}`;
    expect(noted.slice(before)).toEqual([
      row(3, "  ▾ Changes of privileged roles (2)") +
        row(4, ">!    + Ada@acme.example (Ada Lovelace): has ACCOUNT_ADMIN for a short time on") +
        row(23, " f fold  Enter details  / filter  n next !  a approve  q quit  ? keys   2 of 14"),
    ]);
    input.emit("data", "q");
    await answer;
  });

  test("ends when it is aborted", async () => {
    const stop = new AbortController();
    const { answer, isShown } = reviewing(stop.signal);
    await vi.waitUntil(isShown, patience);
    stop.abort();
    expect(await answer).toBe("ended");
  });
});
