import { RosterError, rosterError } from "../../library/error.ts";
import type { SettingReport } from "../../report/doctor/observations.ts";
import type { MapNode, Node } from "../../yaml/source-text.ts";
import type { SomeFlags } from "../flags.ts";
import type { Host } from "../host.ts";
import { type SettingRow, settingRows } from "./setting-table.ts";
import { locateSettings, readSettingsFile } from "./settings-file.ts";

/** Every setting that is set, its value as it is written and where it comes from, also where something is wrong with it. Shows no secret. */
export async function shownSettings(flags: SomeFlags, host: Host): Promise<readonly SettingReport[]> {
  const place = await locateSettings(host);
  const file = place && (await readSettingsFile(place, host).catch(rosterError));
  const tree = file instanceof RosterError ? undefined : file?.tree;
  return settingRows.flatMap((row) => {
    const said = fromFlag(row, flags) ?? fromVariable(row, host) ?? fromFile(row, tree);
    if (said === undefined) return [];
    return [{ name: row.name, ...said, value: row.isSecret ? "set" : withoutPasswords(said.value) }];
  });
}

type SaidSetting = Omit<SettingReport, "name">;

function fromFlag({ name, flag }: SettingRow, flags: SomeFlags): SaidSetting | undefined {
  const [, value] = Object.entries(flags).find(([one]) => flag === true && one === name) ?? [];
  return typeof value === "string" ? { value, from: { kind: "flag", name: `--${name}` } } : undefined;
}

function fromVariable({ variables = [] }: SettingRow, { env }: Host): SaidSetting | undefined {
  const [said] = variables.flatMap((name): readonly SaidSetting[] => {
    const value = env[name]?.trim() ?? "";
    return value === "" ? [] : [{ value, from: { kind: "variable", name } }];
  });
  return said;
}

function fromFile({ setting, part }: SettingRow, tree: MapNode | undefined): SaidSetting | undefined {
  const whole = tree?.entries.find(({ key }) => key.text === setting);
  const inner = whole?.value.kind === "map" ? whole.value.entries.find(({ key }) => key.text === part) : undefined;
  const entry = part === undefined ? whole : inner;
  if (setting === undefined || entry === undefined) return undefined;
  return { value: nodeText(entry.value), from: { kind: "settings", place: entry.key.place } };
}

/** What stands in YAML, on one line: `[a, b]`, `{ ratio: 0.25, floor: 10 }`. */
function nodeText(node: Node): string {
  switch (node.kind) {
    case "scalar":
      return node.text;
    case "list":
      return `[${node.items.map(nodeText).join(", ")}]`;
    case "map":
      return `{ ${node.entries.map(({ key, value }) => `${key.text}: ${nodeText(value)}`).join(", ")} }`;
  }
}

function withoutPasswords(text: string): string {
  return text
    .replace(/(?<=:\/\/)[^/?#\s,]*@/gu, "…@")
    .replace(/(?<=[?&](?:password|token|secret|signature|sig|key)=)[^&#\s]+/giu, "…");
}
