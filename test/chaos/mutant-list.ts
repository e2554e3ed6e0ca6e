import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What `npm run test:mutants` breaks: the function of this name, wherever it stands, does something else. */
interface Mutant {
  readonly name: string;
  readonly function: string;
  /** What is called in its place, with the function itself and what it was given. */
  readonly becomes: string;
  /** Seen by the services drawn at random alone: what it breaks comes about seldom. */
  readonly seenBy?: "random services";
}

export const mutants: readonly Mutant[] = [
  {
    name: "the intent is announced after the call",
    function: "announce",
    becomes: `async (announce, call) => {
      setTimeout(() => void announce(call), 20);
      return { wall: Infinity, monotonic: Infinity };
    }`,
  },
  {
    name: "whatever is open counts as not done, at once",
    function: "assessOpenIntent",
    becomes: "() => ({ as: { done: false } })",
  },
  {
    name: "the window is counted by the clock of this machine alone",
    function: "decidedFrom",
    becomes: `(decidedFrom, open, { readAt }, ...others) =>
      decidedFrom({ ...open, dated: { by: "service", at: open.at } }, { readAt, times: { service: readAt } }, ...others)`,
  },
  {
    name: "a creation that does not show counts as done",
    function: "assessCreation",
    becomes: `(assess, intent, evidence, age) => {
      const verdict = assess(intent, evidence, age);
      const learned = { kind: "create-user", address: intent.address, answered: {} };
      return age === "decided" && verdict?.as.done === false ? { as: { done: true, learned } } : verdict;
    }`,
  },
  {
    name: "an addition that does not show counts as done",
    function: "assessMember",
    becomes: `(assess, address, ...others) => {
      const member = assess(address, ...others);
      return member?.outcome.added === false ? { address, outcome: { added: true } } : member;
    }`,
  },
  {
    name: "creations and additions are sent again after an answer was lost",
    function: "maySendAgain",
    becomes: "(maySendAgain, exchange, call) => maySendAgain(exchange, call, true)",
  },
  {
    name: "a call of unknown outcome is sent again by the run",
    function: "announceAndCall",
    becomes: `async (send, ...given) => {
      let written = await send(...given);
      for (let tries = 1; tries < 3 && written.answer?.outcome === "unknown"; tries += 1) written = await send(...given);
      return written;
    }`,
  },
  {
    name: "a throttled creation is sent again unread",
    function: "afterThrottling",
    becomes: `(after, session, sending, last) =>
      after(session, { ...sending, intent: { ...sending.intent, kind: "replace-roles" } }, last)`,
  },
  {
    name: "a creation with a team that no read showed is forgotten",
    function: "recordUndone",
    becomes: "() => undefined",
  },
  {
    name: "an append resolves before it is durable",
    function: "groupCommit",
    becomes: `(group, ...given) => {
      const commit = group(...given);
      return async (part) => void commit(part).catch(() => undefined);
    }`,
  },
  {
    name: "nothing is waited for before what does not show counts as not done",
    function: "consistencyWindow",
    becomes: "() => 0",
  },
  {
    name: "an addition's answer about another team or other people is believed",
    seenBy: "random services",
    function: "contradictsAddition",
    becomes: "() => undefined",
  },
  {
    name: "a replacement's answer about another key is believed",
    seenBy: "random services",
    function: "contradictsReplacement",
    becomes: "() => undefined",
  },
  {
    name: "a replacement's answer with other roles than were sent is believed unread",
    seenBy: "random services",
    function: "confirmRoles",
    becomes: "async (confirm, intent, { shown }) => ({ ok: true, value: shown })",
  },
  {
    name: "a member is named by one name alone",
    seenBy: "random services",
    function: "namesToTry",
    becomes: "(_, person, refusal, { knowledge }) => [knowledge.naming]",
  },
  {
    name: "the keys that a plan forbids are forgotten at the moment of a call",
    seenBy: "random services",
    function: "forbiddenKeys",
    becomes: "() => new Set()",
  },
  {
    name: "a list whose rows move between its pages counts as complete",
    seenBy: "random services",
    function: "doubtAbout",
    becomes: "(doubtAbout, pass, ...others) => doubtAbout({ ...pass, shifted: false }, ...others)",
  },
  {
    name: "a search that does not find somebody known proves that nobody is there",
    seenBy: "random services",
    function: "assess",
    becomes: `(assess, answer, roomFor) => {
      const one = assess(answer, roomFor);
      if (one.verdict.is !== "probe-missing") return one;
      return { ...one, verdict: { is: "settled", absence: { proven: true, by: answer.read } } };
    }`,
  },
  {
    name: "a throttled call that was given up is told to have had no effect",
    seenBy: "random services",
    function: "afterThrottling",
    becomes: `async (after, ...given) => {
      const next = await after(...given);
      return next === "unknown" ? "failed" : next;
    }`,
  },
  {
    name: "roles that reads do not show are told to be as they were",
    seenBy: "random services",
    function: "assessReplacement",
    becomes: `(assess, ...given) => {
      const verdict = assess(...given);
      return verdict.as.done ? verdict : { as: { done: false } };
    }`,
  },
  {
    name: "the log holds another prefix than the service gave",
    seenBy: "random services",
    function: "keysOf",
    becomes: "(keys, learned) => keys(learned).map((key) => ({ ...key, prefix: key.prefix.slice(1) }))",
  },
  {
    name: "changes that do not show are told to be verified",
    seenBy: "random services",
    function: "recordVerified",
    becomes: '(record, session, _, remarks) => record(session, "converged", remarks)',
  },
  {
    name: "a refusal of what was created a moment ago is remembered for ever",
    seenBy: "random services",
    function: "isTooEarly",
    becomes: "() => false",
  },
];

/** The one file below `source` that declares the function of a mutant, and its text as the mutant has it. */
export function mutated(source: string, mutant: Mutant): { readonly file: string; readonly text: string } {
  const declaration = new RegExp(`^( *)(export )?(async )?function ${mutant.function}\\b`, "mu");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file));
  const found = files.flatMap((name) => {
    const file = join(source, name);
    const text = readFileSync(file, "utf8");
    return declaration.test(text) ? [{ file, text }] : [];
  });
  const [only, another] = found;
  if (only === undefined || another !== undefined)
    throw new Error(`${found.length} files declare a function ${mutant.function}; a mutant needs one.`);
  const text = only.text.replace(declaration, (_, indent: string, exported = "", async = "") => {
    const call = `return (${mutant.becomes})(${mutant.function}Unbroken, ...given);`;
    const broken = `${indent}${exported}function ${mutant.function}(...given) { ${call} }`;
    return `${broken}\n${indent}${async}function ${mutant.function}Unbroken`;
  });
  return { file: only.file, text };
}
