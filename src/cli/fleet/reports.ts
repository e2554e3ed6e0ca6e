import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { systemErrorCode } from "../../files/file-system.ts";
import { invalidSetting } from "../../library/error.ts";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import type { Host } from "../host.ts";
import type { Report } from "../report-flags.ts";
import { refuseLedOut } from "../trust.ts";

/** How the files of a format end, where that is not its name. Two formats may share a directory. */
const extensions: Readonly<Partial<Record<FormatName, string>>> = {
  text: "txt",
  github: "github.txt",
  gitlab: "gitlab.json",
  "gitlab-terraform": "gitlab-terraform.json",
  prometheus: "prom",
  markdown: "md",
};

export function reportIn({ file: directory }: Report, name: string, format: FormatName) {
  const shown = `${name}.${extensions[format] ?? format}`;
  return { format, file: join(directory, shown), shown };
}

/** Creates the directories. Returns the files of the summary: as JSON in each of them, and in each format that can show it. */
export async function openReports(directories: readonly Report[], host: Host): Promise<readonly Report[]> {
  for (const { file } of directories) {
    const path = resolve(host.cwd, file, "targets");
    await refuseLedOut([path], host);
    await mkdir(path, { recursive: true }).catch((error: unknown) => {
      const message = `The directory ${file} for reports cannot be created: ${systemErrorCode(error)}.`;
      throw invalidSetting("unwritable", message, "Name another directory with --report.");
    });
  }
  const shown = formatsOf("fleet").filter((format) => format !== "ndjson");
  const files = directories.flatMap((one) => {
    const formats = shown.filter((format) => format === "json" || format === one.format);
    return formats.map((format) => reportIn(one, format === "html" ? "index" : "summary", format));
  });
  return [...new Map(files.map((report) => [report.file, report])).values()];
}
