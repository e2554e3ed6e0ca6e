import { mkdir } from "node:fs/promises";
import { join, normalize, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { systemErrorCode } from "../../files/file-system.ts";
import type { FleetSummary } from "../../fleet/outcomes.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { definedFields } from "../../model/role-set.ts";
import type { ReportStore } from "../../ports/state-store.ts";
import { type FormatName, formatsOf } from "../../report/formats.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { capitalized } from "../../report/phrases.ts";
import type { Host } from "../host.ts";
import type { Report } from "../output/output-flags.ts";
import type { NetworkSettings, Settings } from "../settings/settings.ts";
import { leadsOutOfCheckout } from "../trust/checkout.ts";

/** Reports of a fleet in one format: a file for each target, and a summary. */
export interface FleetReportFlag {
  readonly format: FormatName;
  /** As a person wrote it: a path, or an address such as `s3://acme-roster/reports`. */
  readonly directory: string;
}

/** Reports with the place where they are written. */
export interface FleetReports extends FleetReportFlag {
  /** Absent: a directory of this machine. */
  readonly store?: ReportStore;
}

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

/** Gives a command of a fleet reports in every format that its targets have. */
export function withFleetReports(command: Command, of: CommandOutcome["command"]): Command {
  const known = formatsOf(of);
  const report = new Option("--report <format=dir>", "write reports to this directory or s3:// address; repeatable");
  return command.addOption(
    report.argParser((value, before: readonly FleetReportFlag[] = []) => [...before, read(value, before)]),
  );

  function read(value: string, before: readonly FleetReportFlag[]): FleetReportFlag {
    const at = value.indexOf("=");
    const format = known.find((name) => name === value.slice(0, at));
    const directory = value.slice(at + 1);
    if (format === undefined || directory === "")
      throw new InvalidArgumentError(`Write FORMAT=DIR; formats are ${known.join(", ")}.`);
    const isTwice = before.some((one) => one.format === format && normalize(one.directory) === normalize(directory));
    if (isTwice) throw new InvalidArgumentError(`${value} is there twice.`);
    return { format, directory };
  }
}

/** The report files of one target, and how the summary names them. */
export function targetReports(
  target: string,
  reports: readonly FleetReports[],
): readonly (Report & { readonly shown: string })[] {
  return reports.map((one) => {
    const shown = `targets/${target}.${extensions[one.format]}`;
    return { ...reportFile(one, shown), shown };
  });
}

/** The files of the summary: as JSON in each directory, and in each format that can show it. */
export function summaryReports(
  { shard }: Pick<FleetSummary, "shard">,
  reports: readonly FleetReports[],
): readonly Report[] {
  const part = shard === undefined ? "" : `-${shard.number}-of-${shard.of}`;
  const shown = formatsOf("fleet");
  const files = reports.flatMap((one) => {
    const { format } = one;
    const own = shown.includes(format) && format !== "ndjson" ? [format] : [];
    return [...new Set<FormatName>(["json", ...own])].map((format) => {
      const name = format === "html" ? `index${part}` : `summary${part}`;
      return reportFile({ ...one, format }, `${name}.${extensions[format]}`);
    });
  });
  return [...new Map(files.map((file) => [file.file, file])).values()];
}

function reportFile({ format, directory, store }: FleetReports, name: string): Report {
  if (store === undefined) return { format, file: join(directory, name) };
  return {
    format,
    file: `${store.address}/${name}`,
    async write(text) {
      const failure = await store.write(name, text, contentTypes[format] ?? "text/plain; charset=utf-8");
      if (failure === undefined) return undefined;
      const { message, hint } = failure;
      const code = "unwritable";
      return { code, severity: "error", message: `${capitalized(message)}.`, ...definedFields({ hint }) };
    },
  };
}

/** For a browser that opens a report in a bucket. */
const contentTypes: Readonly<Partial<Record<FormatName, string>>> = {
  html: "text/html; charset=utf-8",
  json: "application/json",
};

/** Finds out where reports are written, and creates directories. Connects nothing yet. The caller closes them. */
export async function openReports(
  flags: readonly FleetReportFlag[],
  { network }: Pick<Settings, "network">,
  host: Host,
): Promise<Result<readonly FleetReports[], RosterError>> {
  const stores = new Map<string, ReportStore>();
  const opened: FleetReports[] = [];
  for (const flag of flags) {
    const { directory } = flag;
    const place = isBucket(directory)
      ? await openedOnce(stores, directory, network, host)
      : await createDirectory(directory, host);
    if (!place.ok) {
      await closeReports(opened);
      return place;
    }
    opened.push({ ...flag, ...definedFields({ store: place.value }) });
  }
  return success(opened);
}

export async function closeReports(reports: readonly FleetReports[]): Promise<void> {
  const stores = new Set(reports.flatMap(({ store }) => store ?? []));
  await Promise.all([...stores].map((store) => store.close()));
}

/** Whether reports are in a bucket, and not in a directory of this machine. */
export function isBucket(directory: string): boolean {
  return directory.startsWith("s3://");
}

/** The reports at an address such as `s3://acme-roster/reports`. */
export async function openReportStore(
  address: string,
  network: NetworkSettings,
  host: Host,
): Promise<Result<ReportStore, RosterError>> {
  const { openS3Reports } = await import("../../library/stores/open-s3.ts");
  return openS3Reports(address, host, network);
}

async function openedOnce(
  stores: Map<string, ReportStore>,
  address: string,
  network: NetworkSettings,
  host: Host,
): Promise<Result<ReportStore, RosterError>> {
  const known = stores.get(address);
  const opened = known === undefined ? await openReportStore(address, network, host) : success(known);
  if (opened.ok) stores.set(address, opened.value);
  return opened;
}

async function createDirectory(directory: string, host: Host): Promise<Result<undefined, RosterError>> {
  const path = resolve(host.cwd, directory, "targets");
  if (await leadsOutOfCheckout(path, host))
    return problem(unwritable(directory, "a symbolic link leads out of the checkout"));
  try {
    await mkdir(path, { recursive: true });
    return success(undefined);
  } catch (error) {
    return problem(unwritable(directory, systemErrorCode(error)));
  }
}

function unwritable(directory: string, why: string): RosterError {
  const message = `The directory ${directory} for reports cannot be created: ${why}.`;
  return invalidSetting("unwritable", message, "Name another directory with --report.");
}
