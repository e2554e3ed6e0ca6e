import { safe } from "../safe.ts";

/** One number of a metric; labels that are undefined are left out. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string | undefined>>;
  readonly value: number;
}

/** A gauge with all its samples: no two of them have the same labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Metrics in the text exposition format 0.0.4; those without samples are left out. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => {
      const head = `# HELP ${name} ${escaped(help, /[\\\n]/gu)}\n# TYPE ${name} gauge\n`;
      return `${head}${samples.map((sample) => sampleLine(name, sample)).join("")}`;
    })
    .join("");
}

function sampleLine(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : [`${label}="${escaped(safe(text), /[\\\n"]/gu)}"`],
  );
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}\n`;
}

function escaped(text: string, special: RegExp): string {
  return text.replace(special, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
