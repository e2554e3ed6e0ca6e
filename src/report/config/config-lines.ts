import { formatPlace } from "../../model/fact.ts";
import { table } from "../table.ts";
import { joinSections, type Line, prose } from "../text/lines.ts";
import type { ConfigReport, SettingReport, SettingSource } from "./config-told.ts";

/** Every setting, its value and where it comes from, for people. */
export function configLines(told: ConfigReport): readonly Line[] {
  return joinSections([configHeadLines(told), table(["setting", "value", "from"], told.settings.flatMap(settingRows))]);
}

function configHeadLines({ file, inPipeline, trusted }: ConfigReport): readonly Line[] {
  return [
    prose(0, formatSettingsFile(file), "strong"),
    ...(file?.insideCheckout ? [prose(0, formatTrust(inPipeline, trusted))] : []),
  ];
}

function formatSettingsFile(file: ConfigReport["file"]): string {
  if (file === undefined) return "No settings file.";
  const how = file.foundBy === "search" ? "found from here upward" : "named by ROSTER_CONFIG";
  return `Settings ${file.path}, ${how}, ${file.insideCheckout ? "inside" : "outside"} the checkout.`;
}

function formatTrust(inPipeline: ConfigReport["inPipeline"], trusted: ConfigReport["trusted"]): string {
  if (trusted) return "ROSTER_TRUST_SETTINGS=1: whoever can change the checkout may do all that the key can do.";
  return inPipeline
    ? "CI is set: what a change to the checkout must not decide is refused there."
    : "CI is not set: the settings count as this person's, but a key from the environment goes to no endpoint that they name.";
}

function settingRows({ name, said, unused, note }: SettingReport): readonly (readonly string[])[] {
  const inForce =
    said === undefined ? [name, note ?? "not set", ""] : [name, truncateValue(said.value), formatSource(said.from)];
  return [
    inForce,
    ...unused.map(({ value, from, why }) => ["", truncateValue(value), `${formatSource(from)}, ${why}`]),
  ];
}

function formatSource(source: SettingSource): string {
  switch (source.kind) {
    case "flag":
    case "variable":
      return source.name;
    case "settings":
      return formatPlace(source.place);
    case "default":
      return "default";
  }
}

const maxValueLength = 60;

/** The whole of it is in the JSON document. */
function truncateValue(value: string): string {
  const characters = [...value];
  return characters.length <= maxValueLength ? value : `${characters.slice(0, maxValueLength - 1).join("")}…`;
}
