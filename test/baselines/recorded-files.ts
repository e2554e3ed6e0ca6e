import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where the recorded texts lie, as a person in the repository names it. */
const folder = "test/baselines/recorded";

export const isRecording = process.env["RECORD"] === "1";

/** How to take what is printed now for right. */
const recordAnew = "RECORD=1 npx vitest run test/baselines";

/** The scenes of which a text is recorded. */
export function recordedNames(): readonly string[] {
  return readdirSync(folder)
    .map((file) => file.replace(/\.txt$/u, ""))
    .sort();
}

/** Fails where the text of a scene is not the recorded one; or records it. */
export function compare(name: string, text: string): void {
  const file = join(folder, `${name}.txt`);
  if (isRecording) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
    return;
  }
  const difference = differenceOf(readRecorded(file), text);
  if (difference === undefined) return;
  throw new Error(`${file}${difference}\nWhere the new output is wanted, record it and review the diff: ${recordAnew}`);
}

/** Takes away the texts of scenes that are no more. */
export function forgetOthers(names: readonly string[]): void {
  for (const name of recordedNames()) if (!names.includes(name)) rmSync(join(folder, `${name}.txt`));
}

function readRecorded(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The first line in which two texts differ, with the command that told it. */
function differenceOf(recorded: string, now: string): string | undefined {
  if (recorded === now) return undefined;
  if (recorded === "") return ": nothing is recorded.";
  const before = recorded.split("\n");
  const after = now.split("\n");
  const at = before.findIndex((line, index) => line !== after[index]);
  const index = at < 0 ? before.length : at;
  const command = after.slice(0, index + 1).findLast((line) => line.startsWith("========")) ?? "";
  const part = after.slice(0, index + 1).findLast((line) => line.startsWith("--------")) ?? "";
  return `:${index + 1} differs, in ${command.replace(/^=+ /u, "")} (${part.replace(/^-+ /u, "")})
  recorded: ${before[index] ?? "(ends)"}
  now:      ${after[index] ?? "(ends)"}`;
}
