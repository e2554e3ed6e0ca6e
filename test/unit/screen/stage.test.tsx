import { describe, expect, test } from "vitest";
import { plain } from "../../../src/report/outcome.ts";
import { screenRow } from "../../../src/screen/rows.ts";
import { openStage } from "../../../src/screen/stage.tsx";
import { aTerminal } from "../../support/noted-terminal.ts";

/** A stage, and what it has sent to draw since that was asked for last. */
function opened() {
  const { terminal, output, noted } = aTerminal();
  const stage = openStage(terminal, { paint: plain, onKey: () => undefined, onResize: () => undefined });
  const drawn = () =>
    noted
      .splice(0)
      .filter((text) => text.startsWith("\u{1B}[?2026h"))
      .map((text) => text.replaceAll("\u{1B}", "").replace(/\[\?2026[hl]/gu, ""));
  const show = (...texts: readonly string[]) => stage.show(texts.map((text) => screenRow([text])));
  return { stage, output, drawn, show };
}

describe("a stage", () => {
  test("sends the rows that have changed, and no other", () => {
    const { stage, drawn, show } = opened();
    show("a", "", "c");
    expect(drawn()).toEqual(["[1;1H[2Ka[2;1H[2K[3;1H[2Kc"]);
    show("a", "b", "c");
    expect(drawn()).toEqual(["[2;1H[2Kb"]);
    show("a", "b", "c");
    expect(drawn()).toEqual([]);
    stage.leave();
  });

  test("sends everything again once the size of the terminal has changed", () => {
    const { stage, output, drawn, show } = opened();
    show("a", "b");
    drawn();
    output.emit("resize");
    show("a", "b");
    expect(drawn()).toEqual(["[1;1H[2Ka[2;1H[2Kb"]);
    stage.leave();
  });

  test("never sends a row that is wider than the terminal, nor what a terminal would obey", () => {
    const { stage, drawn, show } = opened();
    show("日本".repeat(20), "\u{1B}]0;title\u{7}\u{9B}2J");
    expect(drawn()).toEqual(["[1;1H[2K日本日本日本日本日…[2;1H[2K\\u{1b}]0;title\\u{7}…"]);
    stage.leave();
  });

  test("shows nothing once it was left", () => {
    const { stage, drawn, show } = opened();
    stage.leave();
    show("a");
    expect(drawn()).toEqual([]);
  });
});
