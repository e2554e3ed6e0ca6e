import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCode } from "../../files/file-system.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import type { Host } from "../host.ts";
import type { Report } from "../output/report-flags.ts";
import { leadsOutOfCheckout } from "../trust/checkout.ts";

/** How the files of a format end. Two formats may share a directory. */
const extensions: Readonly<Record<FormatName, string>> = {
  text: "txt",
  json: "json",
  ndjson: "ndjson",
  github: "github.txt",
  gitlab: "gitlab.json",
  "gitlab-terraform": "gitlab-terraform.json",
  sarif: "sarif",
  prometheus: "prom",
  markdown: "md",
  html: "html",
};

export function targetReports(
  target: string,
  reports: readonly Report[],
): readonly (Report & { readonly shown: string })[] {
  return reports.map((one) => {
    const shown = `targets/${target}.${extensions[one.format]}`;
    return { format: one.format, file: join(one.file, shown), shown };
  });
}

/** The files of the summary: as JSON in each directory, and in each format that can show it. */
export function summaryReports(reports: readonly Report[]): readonly Report[] {
  const shown = formatsOf("fleet");
  const files = reports.flatMap((one) => {
    const { format } = one;
    const own = shown.includes(format) && format !== "ndjson" ? [format] : [];
    return [...new Set<FormatName>(["json", ...own])].map((format) => {
      const name = format === "html" ? "index" : "summary";
      return { format, file: join(one.file, `${name}.${extensions[format]}`) };
    });
  });
  return [...new Map(files.map((file) => [file.file, file])).values()];
}

export async function createDirectories(reports: readonly Report[], host: Host): Promise<void> {
  for (const { file: directory } of reports) {
    const path = resolve(host.cwd, directory, "targets");
    if (await leadsOutOfCheckout(path, host)) throw unwritable(directory, "a symbolic link leads out of the checkout");
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      throw unwritable(directory, systemErrorCode(error));
    });
  }
}

function unwritable(directory: string, why: string): RosterError {
  const message = `The directory ${directory} for reports cannot be created: ${why}.`;
  return invalidSetting("unwritable", message, "Name another directory with --report.");
}
