import type { ConfigReport, IgnoredSettingValue, SettingReport, SettingValue } from "../../report/outcome.ts";
import type { MapNode } from "../../yaml/tree.ts";
import { trustsCheckout } from "../checkout.ts";
import { type Host, isPipeline } from "../host.ts";
import { nodeText, withoutPasswords } from "../output/plain-text.ts";
import { type ConfigFlags, type ConfigRow, configRows } from "./config-rows.ts";
import { variable } from "./environment.ts";
import type { Settings } from "./settings.ts";
import type { SettingsPlace } from "./settings-file.ts";
import type { SettingName } from "./settings-shape.ts";
import { settingsTrust } from "./settings-trust.ts";

/** All that can say something, as it is. */
export interface ConfigContext {
  readonly flags: ConfigFlags;
  readonly paths: readonly string[];
  readonly host: Host;
  readonly place?: SettingsPlace | undefined;
  /** What stands in the settings file, whether or not it is right. */
  readonly tree?: MapNode | undefined;
  /** Absent where something is wrong with them. */
  readonly settings?: Settings | undefined;
}

/** Every setting with its value and where it comes from; `key` is told by whoever knows its rules. */
export function reportConfig(ground: ConfigContext, key: SettingReport): ConfigReport {
  const { host, place } = ground;
  const [endpoint, ...others] = configRows.map((row) => reportRow(row, ground));
  return {
    ...(place === undefined
      ? {}
      : { file: { path: place.path, foundBy: place.foundBy, insideCheckout: place.insideCheckout } }),
    inPipeline: isPipeline(host),
    trusted: trustsCheckout(host),
    settings: [...(endpoint === undefined ? [] : [endpoint]), key, ...others],
  };
}

function reportRow(row: ConfigRow, ground: ConfigContext): SettingReport {
  const note = noteOn(row, ground);
  return { name: row.name, ...rankValues(valuesOf(row, ground)), ...(note === undefined ? {} : { note }) };
}

/** Something that is said, and why it must not be taken from where it stands. */
export type RankedValue = SettingValue & { readonly refused?: string | undefined };

/** Of all that is said the first that is not refused is in force. */
export function rankValues(said: readonly RankedValue[]): Pick<SettingReport, "said" | "unused"> {
  const first = said.find((saying) => saying.refused === undefined);
  const unused = said.filter((saying) => saying !== first && saying.from.kind !== "default").map(unusedValue);
  return { ...(first === undefined ? {} : { said: { value: first.value, from: first.from } }), unused };
}

function unusedValue({ value, from, refused }: RankedValue): IgnoredSettingValue {
  return refused === undefined
    ? { value, from, why: "passed over" }
    : { value, from, why: "refused", because: refused };
}

function valuesOf(row: ConfigRow, ground: ConfigContext): readonly RankedValue[] {
  const { flags, paths, host, settings } = ground;
  const flag = row.flag?.said(flags, paths);
  const variables = (row.variables ?? []).flatMap((name) => {
    const value = host.env[name]?.trim() ?? "";
    return value === "" ? [] : [{ value, from: { kind: "variable", name } as const }];
  });
  const spoken: readonly SettingValue[] = [
    ...(row.flag === undefined || flag === undefined
      ? []
      : [{ value: flag, from: { kind: "flag", name: row.flag.name } as const }]),
    ...variables,
  ];
  const amounts = spoken.length > 0 || settings === undefined ? undefined : row.inForce?.(settings);
  const written = valueInFile(row, ground, amounts);
  const otherwise = typeof row.usual === "function" ? row.usual(host) : row.usual;
  const usual = written === undefined ? (amounts ?? otherwise) : otherwise;
  return [
    ...spoken,
    ...(written === undefined ? [] : [written]),
    ...(usual === undefined ? [] : [{ value: usual, from: { kind: "default" } as const }]),
  ].map((saying) => ({ ...saying, value: row.isSecret ? "set" : withoutPasswords(saying.value) }));
}

function valueInFile({ setting, part }: ConfigRow, { tree, place, host }: ConfigContext, amounts: string | undefined) {
  const whole = tree?.entries.find(({ key }) => key.text === setting);
  const entry = part === undefined ? whole : within(whole?.value, part);
  if (setting === undefined || entry === undefined) return undefined;
  const from = { kind: "settings", place: entry.key.place } as const;
  return { value: amounts ?? nodeText(entry.value), from, refused: refusalReason(setting, { place, host }) };
}

/** Why a setting must not be taken from the file in which it stands. */
export function refusalReason(
  name: SettingName,
  { place, host }: Pick<ConfigContext, "place" | "host">,
): string | undefined {
  const isTaken = place?.insideCheckout !== true || !isPipeline(host) || trustsCheckout(host);
  const { inPipelines, because } = settingsTrust[name];
  return isTaken || inPipelines === "taken" ? undefined : because;
}

function within(node: MapNode["entries"][number]["value"] | undefined, part: string) {
  return node?.kind === "map" ? node.entries.find(({ key }) => key.text === part) : undefined;
}

function noteOn({ name }: ConfigRow, { host, settings }: ConfigContext): string | undefined {
  if (name !== "state" || settings?.state !== undefined || variable(host, "ROSTER_STATE") !== undefined)
    return undefined;
  return isPipeline(host) ? "not set: with CI set it must be given" : undefined;
}
