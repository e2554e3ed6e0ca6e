import { appendFile, stat } from "node:fs/promises";
import type { Diagnostic } from "../../model/result.ts";
import { plain } from "../../report/outcome.ts";
import type { Host } from "../host.ts";
import type { OutputFlags } from "./output-flags.ts";
import { type RenderInput, renderAs } from "./render-as.ts";
import { codeOf } from "./write-reports.ts";

/** Where `github` is wanted: appends its step summary and outputs to the files that the runner names; says what could not be. */
export async function appendForRunner(
  { format, report = [] }: OutputFlags,
  told: RenderInput,
  host: Host,
): Promise<readonly Diagnostic[]> {
  if (![format, ...report.map((one) => one.format)].includes("github")) return [];
  const { stepSummary = "", outputs = new Map() } = await renderAs("github", told, { paint: plain, host });
  const lines = [...outputs].map(([name, value]) => output(name, value, host));
  const summary = await append(stepSummary, "GITHUB_STEP_SUMMARY", host);
  return [...summary, ...(await append(lines.join(""), "GITHUB_OUTPUT", host))];
}

/** Nothing in a value can be taken for its end. */
function output(name: string, value: string, { randomness }: Host): string {
  const end = `end-${randomness.identifier()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

async function append(text: string, variable: string, { env, secrets }: Host): Promise<readonly Diagnostic[]> {
  const file = env[variable] ?? "";
  if (text === "" || file === "") return [];
  try {
    await appendFile(file, `${await separatorFor(file)}${secrets.redact(text)}`);
    return [];
  } catch (error) {
    const message = `The file ${file}, which ${variable} names, cannot be written: ${codeOf(error)}.`;
    return [{ code: "unwritten-report", severity: "error", message }];
  }
}

/** What an earlier command of the step wrote may end in the middle of a line, or of HTML that goes on until an empty one. */
async function separatorFor(file: string): Promise<string> {
  const there = await stat(file).catch(() => undefined);
  return there?.isFile() === true && there.size > 0 ? "\n\n" : "";
}
