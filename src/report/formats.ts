import type { CommandOutcome, Format } from "./outcome.ts";

type CommandName = CommandOutcome["command"];

/** A format, and of which commands it has anything to tell. */
export interface FormatEntry {
  readonly tellsOf: readonly CommandName[] | "every command";
  load(): Promise<Format>;
}

const aboutPlans = ["plan", "show", "apply", "drift", "resend-invitation"] as const;
const aboutRosters = ["validate", ...aboutPlans] as const;

/** The output formats by name; each is loaded only when it is wanted. A new one is a file and an entry here. */
export const formats = {
  text: { tellsOf: "every command", load: async () => (await import("./text/text.ts")).textFormat },
  json: { tellsOf: "every command", load: async () => (await import("./json/json.ts")).jsonFormat },
  ndjson: { tellsOf: "every command", load: async () => (await import("./json/ndjson.ts")).ndjsonFormat },
  github: { tellsOf: aboutRosters, load: async () => (await import("./ci/github.ts")).githubFormat },
  gitlab: { tellsOf: aboutRosters, load: async () => (await import("./ci/gitlab.ts")).gitlabFormat },
  "gitlab-terraform": {
    tellsOf: aboutPlans,
    load: async () => (await import("./ci/gitlab.ts")).gitlabTerraformFormat,
  },
  sarif: { tellsOf: aboutRosters, load: async () => (await import("./ci/sarif.ts")).sarifFormat },
  prometheus: {
    tellsOf: ["plan", "apply", "drift"],
    load: async () => (await import("./prometheus.ts")).prometheusFormat,
  },
  markdown: { tellsOf: aboutRosters, load: async () => (await import("./markdown/markdown.ts")).markdownFormat },
} as const satisfies Readonly<Record<string, FormatEntry>>;

export type FormatName = keyof typeof formats;

function entry(name: FormatName): FormatEntry {
  return formats[name];
}

/** The formats that have something to tell of a command, in the order in which they are offered. */
export function formatsOf(command: CommandName): readonly FormatName[] {
  return formatNames.filter((name) => {
    const { tellsOf } = entry(name);
    return tellsOf === "every command" || tellsOf.includes(command);
  });
}

const formatNames: readonly FormatName[] = Object.keys(formats).filter((name): name is FormatName =>
  Object.hasOwn(formats, name),
);
