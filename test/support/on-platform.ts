import { onTestFinished, vi } from "vitest";

/** Lets the code under test take this machine for one of another kind, until the test ends. */
export function onPlatform(platform: NodeJS.Platform): void {
  const spy = vi.spyOn(process, "platform", "get").mockReturnValue(platform);
  onTestFinished(() => spy.mockRestore());
}
