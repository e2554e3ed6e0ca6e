import { describe, expect, test, vi } from "vitest";
import type { Key } from "../../../src/screen/keys.ts";
import { discardTypedAhead, openCanvas } from "../../../src/screen/terminal.ts";
import { aTerminal } from "../../support/noted-terminal.ts";

const entered = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J";
const left = "\u{1B}[?2004l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l";

function opened(size?: { columns?: number; rows?: number }) {
  const parts = aTerminal(size);
  const keys: Key[] = [];
  let wiped = 0;
  const canvas = openCanvas(parts.terminal, { key: (key) => keys.push(key), wiped: () => (wiped += 1) });
  return { ...parts, canvas, keys, wiped: () => wiped };
}

describe("a terminal that a screen takes", () => {
  test("is given back as it was, once, with what others wrote meanwhile", () => {
    const { canvas, input, output, noted } = opened();
    canvas.close();
    canvas.close();
    canvas.draw([{ row: 0, line: "late" }]);
    expect(noted.join("|")).toBe(
      ["hold", "raw true", entered, "resume", "pause", left, "raw false", "release"].join("|"),
    );
    expect([input.listenerCount("data"), output.listenerCount("resize")]).toEqual([0, 0]);
  });

  test("is given back when the process ends without asking", () => {
    const before = process.listeners("exit");
    const { noted } = opened();
    const added = process.listeners("exit").filter((listener) => !before.includes(listener));
    expect(added).toHaveLength(1);
    for (const listener of added) listener(1);
    expect(noted.slice(-3)).toEqual([left, "raw false", "release"]);
    expect(process.listeners("exit")).toEqual(before);
  });

  test("gets each line where it belongs", () => {
    const { canvas, noted } = opened();
    canvas.draw([
      { row: 0, line: "a" },
      { row: 2, line: "c" },
    ]);
    canvas.close();
    expect(noted.filter((text) => text.includes("2026"))).toEqual([
      "\u{1B}[?2026h\u{1B}[1;1H\u{1B}[2Ka\u{1B}[3;1H\u{1B}[2Kc\u{1B}[?2026l",
    ]);
  });

  test("is wiped when its size changes", () => {
    const { canvas, output, noted, wiped } = opened();
    output.columns = 40;
    output.emit("resize");
    canvas.close();
    expect([wiped(), canvas.size()]).toEqual([1, { columns: 40, rows: 5 }]);
    expect(noted).toContain("\u{1B}[2J");
  });

  test.each([{}, { columns: 0, rows: 0 }])("that does not know its size (%o) is taken for 80 by 24", (size) => {
    const { canvas } = opened(size);
    expect(canvas.size()).toEqual({ columns: 80, rows: 24 });
    canvas.close();
  });

  test("tells keys, also where a character or a key comes in pieces", () => {
    vi.useFakeTimers();
    const { canvas, input, keys } = opened();
    const [first = 0, ...rest] = Buffer.from("é");
    for (const chunk of [Buffer.from([first]), Buffer.from(rest), Buffer.from("\u{1B}"), "[A", "\u{1B}"])
      input.emit("data", chunk);
    vi.advanceTimersByTime(100);
    canvas.close();
    vi.useRealTimers();
    expect(keys).toEqual([{ key: "character", text: "é" }, { key: "up" }, { key: "escape" }]);
  });

  test("comes back by itself where nothing could stop the process", () => {
    vi.useFakeTimers();
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    const { canvas, input, noted, wiped } = opened();
    input.emit("data", "\u{1A}");
    expect([kill.mock.calls, noted.slice(-2)]).toEqual([[[0, "SIGTSTP"]], [left, "raw false"]]);
    vi.advanceTimersByTime(100);
    expect([wiped(), noted.slice(-2)]).toEqual([1, ["raw true", entered]]);
    process.emit("SIGCONT");
    expect(wiped()).toBe(1);
    canvas.close();
    kill.mockRestore();
    vi.useRealTimers();
    expect(process.listenerCount("SIGCONT")).toBe(0);
  });

  test("that was closed ends roster as its signal does", () => {
    const ended = vi.fn();
    process.once("SIGHUP", ended);
    const { canvas, input } = opened();
    input.emit("end");
    expect(ended).toHaveBeenCalledOnce();
    canvas.close();
    expect([input.listenerCount("end"), input.listenerCount("error")]).toEqual([0, 0]);
  });
});

test("what was typed ahead is read away, lines that are not complete too, and the terminal is as it was", async () => {
  const { input, noted } = aTerminal();
  const forgotten = discardTypedAhead(input);
  input.emit("data", "yes\nye");
  await forgotten;
  expect(noted).toEqual(["raw true", "resume", "pause", "raw false"]);
  expect([input.listenerCount("data"), input.listenerCount("end")]).toEqual([0, 0]);
});

test("Ctrl-C that was typed ahead interrupts, as it would have if the terminal itself had read it", async () => {
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  const { input } = aTerminal();
  const forgotten = discardTypedAhead(input);
  input.emit("data", Buffer.from("ye\u{3}"));
  await forgotten;
  expect(kill.mock.calls).toEqual([[0, "SIGINT"]]);
  kill.mockRestore();
});
