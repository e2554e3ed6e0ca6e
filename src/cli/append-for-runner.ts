import { appendFile } from "node:fs/promises";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Rendered } from "../report/outcome.ts";
import type { Host } from "./host.ts";
import { codeOf } from "./write-reports.ts";

/** Appends what a format has for the runner of a pipeline to the files that it names; says what could not be. */
export async function appendForRunner(rendered: Rendered, host: Host): Promise<readonly Diagnostic[]> {
  const { stepSummary = "", outputs = new Map<string, string>() } = rendered;
  const lines = [...outputs].map(([name, value]) => output(name, host.secrets.redact(value), host));
  const summary = await append(host.secrets.redact(stepSummary), "GITHUB_STEP_SUMMARY", host);
  return [...summary, ...(await append(lines.join(""), "GITHUB_OUTPUT", host))];
}

/** Nothing in a value can be taken for its end. */
function output(name: string, value: string, { randomness }: Host): string {
  const end = `end-${randomness.identifier()}`;
  return `${name}<<${end}\n${value}\n${end}\n`;
}

async function append(text: string, variable: string, { env }: Host): Promise<readonly Diagnostic[]> {
  const file = env[variable] ?? "";
  if (text === "" || file === "") return [];
  try {
    await appendFile(file, text);
    return [];
  } catch (error) {
    const message = `The file ${file}, which ${variable} names, cannot be written: ${codeOf(error)}.`;
    return [{ code: "unwritten-report", severity: "error", message }];
  }
}
