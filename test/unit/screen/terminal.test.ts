import { expect, test, vi } from "vitest";
import { discardTypedAhead, interruptAsTerminal, suspendAsTerminal } from "../../../src/screen/terminal.ts";
import { aTerminal } from "../../support/noted-terminal.ts";
import { onPlatform } from "../../support/on-platform.ts";

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

test("on Windows, where a signal that is sent ends a process, Ctrl-C asks it to end and Ctrl-Z does nothing", () => {
  onPlatform("win32");
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  const asked: string[] = [];
  const note = () => void asked.push("SIGINT");
  process.on("SIGINT", note);
  interruptAsTerminal();
  suspendAsTerminal(() => void asked.push("resumed"));
  process.off("SIGINT", note);
  expect([asked, kill.mock.calls]).toEqual([["SIGINT", "resumed"], []]);
  kill.mockRestore();
});
