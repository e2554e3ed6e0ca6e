import type { CommandOutcome, Format } from "./outcome.ts";

export type CommandName = CommandOutcome["command"];

export interface FormatEntry {
  readonly commands: readonly CommandName[] | "every command";
  load(): Promise<Format>;
}

const aboutPlans = ["plan", "show", "apply", "drift"] as const;
const aboutRosters = ["validate", ...aboutPlans] as const;

/** The output formats by name; each is loaded only when it is used. A new one is a file and an entry here. */
export const formats = {
  text: { commands: "every command", load: async () => (await import("./text/text.ts")).textFormat },
  json: { commands: "every command", load: async () => (await import("./json/json.ts")).jsonFormat },
  ndjson: { commands: "every command", load: async () => (await import("./json/ndjson.ts")).ndjsonFormat },
  github: { commands: aboutRosters, load: async () => (await import("./ci/github.ts")).githubFormat },
  gitlab: { commands: aboutRosters, load: async () => (await import("./ci/gitlab.ts")).gitlabFormat },
  "gitlab-terraform": {
    commands: aboutPlans,
    load: async () => (await import("./ci/gitlab.ts")).gitlabTerraformFormat,
  },
  sarif: { commands: aboutRosters, load: async () => (await import("./ci/sarif.ts")).sarifFormat },
  prometheus: {
    commands: ["plan", "apply", "drift", "fleet"],
    load: async () => (await import("./ci/prometheus.ts")).prometheusFormat,
  },
  markdown: {
    commands: [...aboutRosters, "fleet"],
    load: async () => (await import("./markdown/markdown.ts")).markdownFormat,
  },
  html: { commands: [...aboutPlans, "fleet"], load: async () => (await import("./html/html.ts")).htmlFormat },
} as const satisfies Readonly<Record<string, FormatEntry>>;

export type FormatName = keyof typeof formats;

export function formatsOf(command: CommandName): readonly FormatName[] {
  return Object.keys(formats).filter((name): name is FormatName => {
    const { [name]: entry }: Readonly<Record<string, FormatEntry>> = formats;
    return entry?.commands === "every command" || entry?.commands.includes(command) === true;
  });
}
