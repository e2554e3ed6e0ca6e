import { printedWords } from "./drawn/printed-words.ts";
import { judgeOutput } from "./run-document.ts";
import type { Hazard, Ran } from "./stage.ts";
import type { OpenMatter, Year } from "./year.ts";
import type { Person } from "./year-company.ts";
import type { Edition } from "./year-edition.ts";
import type { Judgement } from "./year-judge.ts";
import type { Truth } from "./year-registry.ts";
import { judgeCalm, judgeSuccess } from "./year-verdict.ts";
import type { Watch } from "./year-watch.ts";

/** What a person says with each exception. */
const reason: readonly string[] = ["--reason", "read, and meant"];

/** Exit codes of runs that must not have changed anything. */
const refusals: readonly (number | null)[] = [3, 4, 5, 6, 8];

/** Commands that may change the service. */
const writing: readonly string[] = ["apply"];

/** What commands are run with. */
export interface Running {
  /** From which the run may work. */
  readonly editions: readonly Edition[];
  readonly hazard?: Hazard;
}

/** Runs the commands of a year, and judges what they come to. */
export class Runs {
  /** What should not have been, in one sentence each. */
  readonly troubles: string[] = [];
  readonly #year: Year;
  readonly #watch: Watch;

  constructor(year: Year, watch: Watch) {
    this.#year = year;
    this.#watch = watch;
  }

  trouble(what: string): void {
    this.#year.tell(`  TROUBLE: ${what}`);
    this.troubles.push(`merge ${this.#year.merge}: ${what}`);
  }

  /** Applies what is merged, as a pipeline does; returns whether that came to its end in peace. */
  async apply(edition: Edition, hazard?: Hazard): Promise<"complete" | "disturbed"> {
    const running = { editions: [edition], ...(hazard === undefined ? {} : { hazard }) };
    const words = ["--auto-approve", "--format", "json", ...this.inOrder(), ...(await this.allowances(edition))];
    const [ran] = await this.run([["apply", ...words, "roster"]], running);
    if (ran === undefined) return "disturbed";
    return this.#judge(ran, edition, hazard);
  }

  /** Runs one command in peace, from what is merged; nothing comes of it but one of these exit codes. */
  async peaceful(args: readonly string[], edition: Edition, codes: readonly number[]): Promise<Ran | undefined> {
    const [ran] = await this.run([args], { editions: [edition] });
    if (ran !== undefined && !codes.includes(ran.code ?? -1)) this.trouble(`${args[0]} ends with ${ran.code}`);
    return ran;
  }

  /** Runs commands side by side; nothing comes back where they were killed. */
  async run(commands: readonly (readonly string[])[], { editions, hazard = {} }: Running): Promise<readonly Ran[]> {
    const year = this.#year;
    const { today } = year;
    this.#watch.begin({ editions, today });
    const ran = await year.stage.run(commands, hazard);
    const at = new Date(year.stage.time.now()).toISOString();
    year.registry.look({ editions, mayReturn: this.#mayReturn(), at });
    for (const breach of [...this.#watch.breaches.splice(0), ...year.registry.breaches.splice(0)]) this.trouble(breach);
    if (ran === "killed") {
      year.tell(`  killed: ${commands.map((args) => args.join(" ")).join("; ")}`);
      return [];
    }
    for (const [index, one] of ran.entries()) this.#judgeEnd(commands[index] ?? [], one);
    const { writes } = this.#watch;
    const isReading = commands.every(([name = ""]) => !writing.includes(name));
    if ((isReading || ran.every(({ code }) => refusals.includes(code))) && writes.length > 0) {
      this.trouble(`exit code ${ran.map(({ code }) => code).join()}, after ${writes.join("; ")}`);
    }
    return ran;
  }

  /** The place of this merge among all; `earlier`: of one that came right before it. */
  inOrder(place: "earlier" | "own" = "own"): readonly string[] {
    return ["--sequence", String(2 * this.#year.merge + (place === "own" ? 1 : 0))];
  }

  /** What people allow of the next plan, in the words that the plan itself prints. */
  async allowances(edition: Edition): Promise<readonly string[]> {
    const allowed = new Set(this.#year.matters.flatMap(({ words = [] }) => words));
    if (allowed.size === 0) return [];
    const ran = await this.peaceful(["plan", "--format", "json", "roster"], edition, [0, 5]);
    const offered = printedWords(ran?.stdout ?? "").filter(({ what }) => allowed.has(what));
    return offered.length === 0 ? [] : [...offered.flatMap(({ word }) => ["--allow", word]), ...reason];
  }

  #mayReturn(): ReadonlySet<Person> {
    const { matters } = this.#year;
    return new Set(
      matters.flatMap(({ words, people }) =>
        words?.some((word) => word.startsWith("user-missing:")) === true ? people : [],
      ),
    );
  }

  #judgeEnd(args: readonly string[], ran: Ran): void {
    const { code, stdout, stderr } = ran;
    this.#year.tell(`  ${args.join(" ")}: exit code ${code}\n${stdout}${stderr}`);
    for (const one of judgeOutput(ran, this.#year.stage)) this.trouble(one);
  }

  #judge(ran: Ran, edition: Edition, hazard: Hazard | undefined): "complete" | "disturbed" {
    const year = this.#year;
    const { code } = ran;
    const judgement = this.judgement(edition, year.registry.truth());
    if (code === 0) for (const one of judgeSuccess(judgement)) this.trouble(one);
    if (hazard !== undefined) {
      if (![0, 1, 7, 9].includes(code ?? -1)) this.trouble(`exit code ${code} in bad weather`);
      return "disturbed";
    }
    if (code !== 0 && code !== 9) {
      this.trouble(
        `exit code ${code}, and nothing disturbed the run: ${ran.stdout.slice(-600)}${ran.stderr.slice(-300)}`,
      );
      return "disturbed";
    }
    for (const one of judgeCalm(ran, judgement, year)) this.trouble(one);
    this.#conclude(judgement);
    return "complete";
  }

  judgement(edition: Edition, truth: Truth): Judgement {
    const { today, registry, applied } = this.#year;
    return { edition, today, registry, truth, applied };
  }

  /** An apply has come to its end: what was done about something before it is known now. */
  #conclude({ edition }: Judgement): void {
    const year = this.#year;
    year.registry.settleInvitations(new Date(year.stage.time.now()).toISOString());
    // Somebody who is to be created again may be kept for a team that waits for something else.
    const isDone = ({ words, people }: OpenMatter) =>
      words !== undefined &&
      (words.length === 0 || people.every((person) => year.registry.accountOf(person) !== undefined));
    year.matters = year.matters.filter((matter) => !isDone(matter));
    for (const { email } of edition.users) {
      const person = year.company.personOf(email);
      if (person !== undefined) year.applied.add(person);
    }
    for (const { email } of edition.leavers) {
      const person = year.company.personOf(email);
      if (person !== undefined) year.applied.delete(person);
    }
  }
}
