import { readFileSync, writeFileSync } from "node:fs";
import pLimit from "p-limit";
import { type Fault, faults, services } from "./fault-list.ts";
import { verdictOf } from "./judge.ts";
import { type Peer, peers } from "./peers.ts";
import { play } from "./play.ts";

/**
 * Prints the tables of docs/compared.md. `--write` also writes them into the page. `--logs=DIRECTORY` keeps what the tools said.
 * Words on the command line choose rows and columns whose names have them; each column where no word names one, and each row.
 */
async function main(): Promise<void> {
  const here = peers.flatMap((peer) => {
    const version = peer.version();
    if (version === undefined) process.stderr.write(`${peer.name} is not installed here: it is left out.\n`);
    return version === undefined ? [] : [{ peer, version }];
  });
  const columns = chosen(here, ({ peer }) => peer.name);
  const rows = chosen(faults, ({ name }) => name);
  const tables: string[] = [];
  for (const service of services) {
    const cells = await Promise.all(
      rows.map((fault) => Promise.all(columns.map(({ peer }) => cell(peer, fault, service)))),
    );
    tables.push(`**${service.name}.** ${service.about}\n\n${table(rows, columns, cells)}`);
  }
  const text = `${tables.join("\n\n")}\n\nVersions: ${columns.map(({ version }) => version).join("; ")}.`;
  process.stdout.write(`${text}\n`);
  if (flags.includes("--write")) writeInto("docs/compared.md", text);
}

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const logs = flags.find((flag) => flag.startsWith("--logs="))?.slice("--logs=".length);
/** Most of a run is waiting. */
const atOnce = pLimit(6);

function chosen<T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] {
  const some = all.filter((one) => words.some((word) => nameOf(one).toLowerCase().includes(word.toLowerCase())));
  return some.length === 0 ? all : some;
}

function cell(peer: Peer, fault: Fault, service: (typeof services)[number]): Promise<string> {
  return atOnce(async () => {
    const attempts = await play(peer, fault, service, logs === undefined ? undefined : `${logs}/${service.name}`);
    const verdict = verdictOf(attempts);
    const exits = attempts.map(({ exitCode }) => exitCode ?? "killed").join(", ");
    process.stderr.write(`${service.name}, ${fault.name}, ${peer.name}: ${verdict} (exit codes ${exits})\n`);
    return verdict;
  });
}

function table(
  rows: readonly Fault[],
  columns: readonly { readonly peer: Peer }[],
  cells: readonly (readonly string[])[],
): string {
  const line = (parts: readonly string[]) => `| ${parts.join(" | ")} |`;
  return [
    line(["fault", ...columns.map(({ peer }) => peer.name)]),
    line(["---", ...columns.map(() => "---")]),
    ...rows.flatMap(({ name }, index) => {
      const verdicts = cells[index] ?? [];
      return verdicts.every((one) => one.startsWith("right")) ? [] : [line([name, ...verdicts])];
    }),
  ].join("\n");
}

function writeInto(page: string, text: string): void {
  const old = readFileSync(page, "utf8");
  const marked = /(<!-- measured: faults -->\n)[\s\S]*?(\n<!-- end measured -->)/u;
  if (!marked.test(old)) throw new Error(`${page} has no place for the tables`);
  writeFileSync(
    page,
    old.replace(marked, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`),
  );
}

await main();
