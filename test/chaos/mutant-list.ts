/** What `npm run test:mutants` breaks: one text, which stands once in one file, is replaced by another. */
export const mutants = [
  {
    name: "the intent is announced after the call",
    file: "src/apply/send.ts",
    find: `  for (const untried: SendAgain[] = []; await journal.announce({ action, intent }); ) {
    const announced = clock.now();
    const answer: WriteResult<T> = await call();`,
    replace: `  for (const untried: SendAgain[] = []; journal.stopped === undefined; ) {
    const announced = clock.now();
    const answer: WriteResult<T> = await call();
    await journal.announce({ action, intent });`,
  },
  {
    name: "whatever is open counts as not done, at once",
    file: "src/journal/settle.ts",
    find: "const verdict = assessOpenIntent(open, evidence, intentAge(open, state, { readAt: snapshot.readAt, consistency }));",
    replace: "const verdict: CallVerdict | undefined = { as: { done: false } };",
  },
  {
    name: "a creation that does not show counts as done",
    file: "src/journal/settle.ts",
    find: "return isNobodyNew ? notDoneOnceSettled(age) : undefined;",
    replace:
      'return isNobodyNew && age === "settled" ? doneVerdict({ kind: "create-user", address: intent.address, answered: {} }) : undefined;',
  },
  {
    name: "an addition that does not show counts as done",
    file: "src/journal/settle.ts",
    find: 'return shown.is === "absent" && teamsAreShown ? provenNotAdded(address, name) : undefined;',
    replace: 'return shown.is === "absent" && teamsAreShown ? { address, outcome: { added: true } } : undefined;',
  },
  {
    name: "creations and additions are sent again after an answer was lost",
    file: "src/service/retry.ts",
    find: ': "never";',
    replace: ': "whenever-it-may-pass";',
  },
  {
    name: "a call of unknown outcome is sent again by the run",
    file: "src/apply/send.ts",
    find: '    if (last.answer.outcome !== "throttled") return last;',
    replace: `    if (last.answer.outcome === "unknown" && tries < 3) continue;
    if (last.answer.outcome !== "throttled") return last;`,
  },
  {
    name: "an append resolves before it is durable",
    file: "src/state/session.ts",
    find: "    return next;",
    replace: "    void next.catch(() => undefined);\n    return Promise.resolve();",
  },
  {
    name: "nothing is waited for before what does not show counts as not done",
    file: "src/model/capabilities.ts",
    find: "{ prompt, longest }: WriteBehaviour): number {",
    replace: "{ prompt, longest }: WriteBehaviour): number {\n  if (longest !== -1) return 0;",
  },
  {
    name: "an addition's answer about another team or other people is believed",
    seenBy: "random services",
    file: "src/apply/check-answers.ts",
    find: "  const otherTeam = contradictsTeam(team, identifier, answer.team);",
    replace: `  if (answer.members.length >= 0) return undefined;
  const otherTeam = contradictsTeam(team, identifier, answer.team);`,
  },
  {
    name: "a replacement's answer about another key is believed",
    seenBy: "random services",
    file: "src/apply/check-answers.ts",
    find: "return shown.prefix === undefined || shown.prefix === prefix ?",
    replace: 'return shown.prefix === undefined || prefix !== "" ?',
  },
  {
    name: "a replacement's answer with other roles than were sent is believed unread",
    seenBy: "random services",
    file: "src/apply/replace-roles.ts",
    find: "if (shown === undefined || sameRoles(shown, sent)) return success(shown);",
    replace: 'if (shown === undefined || key.prefix !== "") return success(shown);',
  },
  {
    name: "a member is named by one name alone",
    seenBy: "random services",
    file: "src/apply/learned-facts.ts",
    find: "return named === undefined || named === email ? [email] : [named, email];",
    replace: "return [named ?? email];",
  },
  {
    name: "the keys that a plan forbids are forgotten at the moment of a call",
    seenBy: "random services",
    file: "src/apply/apply-session.ts",
    find: "...(keyInUse === undefined ? [] : [keyInUse])]);",
    replace: "...(keyInUse === undefined ? [] : [keyInUse])].slice(0, 0));",
  },
  {
    name: "a list whose rows move between its pages counts as complete",
    seenBy: "random services",
    file: "src/service/page-walk.ts",
    find: "short ?? (shifted ? rowsMoved : mayGoOn",
    replace: "short ?? (mayGoOn",
  },
  {
    name: "a search that does not find somebody known proves that nobody is there",
    seenBy: "random services",
    file: "src/observe/search.ts",
    find: '  return { is: "probe-missing", probe: probe.address, absence: { proven: false, why } };',
    replace: `  const unread = { is: "probe-missing", probe: probe.address, absence: { proven: false, why } } as const;
  return why === "" ? unread : { is: "settled", absence: { proven: true, by: read } };`,
  },
  {
    name: "a refusal of what was created a moment ago is remembered for ever",
    seenBy: "random services",
    file: "src/journal/recorded-refusals.ts",
    find: 'isTooEarly(draft, refusal) ? "passing" : permanenceOf(failure, request);',
    replace: "permanenceOf(failure, request);",
  },
];
