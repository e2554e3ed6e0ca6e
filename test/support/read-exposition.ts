export type ReadSample = ReturnType<typeof sampleIn>;

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/u;
const help = /^# HELP ([^ ]+) (?:[^\\]|\\[\\n])*$/u;
const type = /^# TYPE ([^ ]+) (?:counter|gauge|histogram|summary|untyped)$/u;
const sample = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)$/u;
const pair = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^\\"\n]|\\[\\"n])*)"(?:,|$)/u;
const number = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/u;

/**
 * Reads the text exposition format 0.0.4 more strictly than a server does: each metric has its help and its type first, and all
 * its lines together, no two of the same labels. Throws with the line that is not so.
 */
export function readExposition(text: string): readonly ReadSample[] {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const blocks = text.slice(0, -1).split(/\n(?=# HELP )/u);
  const read = blocks.map((block) => samplesOf(block));
  const names = read.map(([first]) => first?.name);
  if (new Set(names).size < names.length) throw new Error("a metric is told twice");
  return read.flat();
}

/** A metric: its help, its type, and one sample at the least. */
function samplesOf(block: string): readonly ReadSample[] {
  const [first = "", second = "", ...rest] = block.split("\n");
  const [, name = ""] = help.exec(first) ?? [];
  if (!metricName.test(name) || type.exec(second)?.[1] !== name) throw new Error(block);
  const samples = rest.map(sampleIn);
  const identities = new Set(samples.map(({ labels }) => JSON.stringify(Object.entries(labels).sort())));
  const isWhole = samples.length > 0 && identities.size === samples.length;
  if (!isWhole || samples.some((one) => one.name !== name)) throw new Error(block);
  return samples;
}

function sampleIn(line: string) {
  const [whole, name = "", labels = "", value = ""] = sample.exec(line) ?? [];
  if (whole === undefined || !number.test(value)) throw new Error(line);
  return { name, labels: labelsIn(labels, line), value: Number(value) };
}

function labelsIn(text: string, line: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  let left = text;
  while (left !== "") {
    const [whole, name = "", value = ""] = pair.exec(left) ?? [];
    if (whole === undefined || name.startsWith("__") || Object.hasOwn(labels, name)) throw new Error(line);
    labels[name] = value.replace(/\\(.)/gu, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    left = left.slice(whole.length);
  }
  return labels;
}
