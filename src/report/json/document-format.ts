import {
  accept,
  acceptEntry,
  accepted,
  action,
  basis,
  finding,
  ownership,
  place,
  planFields,
  profile,
  reason,
  userList,
} from "../../codec/plan-format.ts";
import {
  anyOf,
  boolean,
  count,
  described,
  extended,
  integer,
  list,
  literal,
  nullable,
  type ObjectOf,
  object,
  oneOf,
  optional,
  partly,
  type Static,
  string,
  together,
} from "../../model/declare.ts";

export const logHead = object("A place in a log.", {
  position: integer("Counted from 1."),
  hash: string("The SHA-256 of the line."),
});
export const covered = object({
  shown: count("How many the service shows."),
  named: count("How many of them the roster names."),
  percent: nullable(integer("Rounded down; null where nothing is shown.")),
});
export const outsideChange = object(
  "One change that roster did not make: the service as it is now, compared with what the last apply left.",
  {
    change: described(
      oneOf(
        "roles-changed",
        "privileged-roles-found",
        "privileged-roles-left",
        "key-removed",
        "member-added",
        "member-removed",
        "user-removed",
        "user-replaced",
        "email-changed",
        "account-changed",
        "profile-changed",
        "team-renamed",
      ),
      "What happened. `privileged-roles-found`: the key has privileged roles that the roster does not give; roster never saw the key before. `privileged-roles-left`: the roster gave these roles before, and no longer does.",
    ),
    email: optional(string("The user whose access or account was changed.")),
    team: optional(string("The name of the team that it is about.")),
    key: optional(string("The prefix of the key that it is about.")),
    own_key: optional(boolean("Whether the key is the user's own key.")),
    gained: list(string(), "Roles that the service shows now and that the last apply did not leave."),
    lost: list(string(), "Roles that the last apply left and that the service does not show any more."),
    privileged_gained: list(string(), "Those of `gained` that are privileged."),
    to: optional(string("The new address, account or team name.")),
    fields: optional(list(string(), "The changed fields of a profile.")),
  },
);
export const driftItem = object({
  fingerprint: string("The same for the same matter in every run; that of the finding, where it is one."),
  class: string(
    "`tampered`: changed outside roster since roster last wrote or saw it; `outside_changes` says how. `unapplied`: in the roster, but not applied yet. Otherwise the class of the finding, or `pending` if another run works on it.",
  ),
  code: string("The code of the finding, or the kind of the action."),
  subject: string("What it is about, such as `user ada@acme.example`."),
  counts: described(oneOf("change", "blocking", "nothing"), "How the exit code counts it if it is not accepted."),
  since: nullable(string("When a recorded run first saw it, ISO 8601; null where none has.")),
  new: boolean("No recorded run has seen it before."),
  action: optional(string("The id of the action that it is a part of.")),
  person: optional(string("The folded address, of a part that is one person's.")),
  owner: optional(string("Who is to see to it: the owner, else the admin of the team or the holder of the key.")),
  ownership: optional(ownership),
  outside_changes: optional(
    list(
      outsideChange,
      "What was changed in the service and not by roster, and privileged roles that the roster does not give. Items of other classes than `tampered` have it only for privileged roles.",
    ),
  ),
  accept: optional(accept),
  accepted: optional(accepted),
});
export const source = object("The source of a setting.", {
  kind: described(oneOf("flag", "variable", "settings"), "What kind of source it is; `settings` is the settings file."),
  name: optional(string("Of the flag or the variable.")),
  place: optional(described(place, "Where it is written.")),
});
export const explainedCode = object("What a code means.", {
  code: string("The code, such as `unproven-absence`; of an exit code, its number."),
  kind: described(
    oneOf("finding", "guard", "problem", "diagnostic", "drift-class", "exit-code"),
    "Of what it is a code.",
  ),
  about: string("The same, for people."),
  title: string("A few words."),
  means: string("What it means, and why it happens."),
  next: string("What a person can do."),
  example: optional(string("YAML or commands to paste.")),
  exit_codes: list(integer(), "With which exit codes a command ends for it, where nothing else decides."),
});
export const statement = object("One sentence, and how it is known.", {
  says: string("The sentence."),
  place: optional(described(place, "Where the YAML says so.")),
  because: optional(list(reason, "The chain by which the YAML asks for it.")),
  by: optional(string("The read that showed it.")),
  at: optional(string("ISO 8601, when it was recorded.")),
});
export const oneRead = object("One read of a run, which may have taken several requests.", {
  read: string("Its name, as `by` names it, such as `search 1`."),
  at: string("ISO 8601, when it began."),
  request: string("The request, and how many items it requested."),
});
export const explainedThing = object("The whole story of one thing.", {
  is: described(oneOf("user", "team", "key", "role", "action", "finding"), "What it is."),
  name: string("As a person would name it."),
  from: described(oneOf("service", "saved-plan"), "Whether the service was read for it, or a saved plan alone."),
  plan_id: string("The plan of which the actions and findings are."),
  refused: optional(string("Why guards refuse that plan as a whole; absent where they do not.")),
  roster: list(statement, "What the roster says of it."),
  service: list(statement, "What the service shows of it."),
  state: list(statement, "What the state records of it."),
  actions: list(
    extended({ needed_by: list(string("An action's id."), "Actions of the plan that wait for it.") }, action),
    "The actions of the plan that are about it.",
  ),
  findings: list(finding, "The findings of the plan that are about it."),
  in_sync: list(
    object({
      says: string("What is so, in words."),
      because: list(reason, "The chain by which the YAML asks for it."),
      rests_on: list(basis, "How it is known."),
    }),
    "What the roster asks for and is so already, so that nothing is done.",
  ),
  unasked: list(statement, "What exists in the service but not in the roster."),
  reads: list(oneRead, "The reads by which facts are known."),
});
export const error = object("What stood in the way.", {
  code: string("Stable name of the problem."),
  message: string("What is wrong and why."),
  request: optional(string("The request it concerns.")),
  status: optional(integer("The HTTP status, where there was an answer.")),
  service_says: optional(string("The service's own words, bounded.")),
  hint: optional(string("What to do next.")),
  allow: optional(
    list(
      string(),
      "Present where the plan is refused and can be allowed: the codes for `--allow`, as in `max-new-users#7f3a90c1d4e5`.",
    ),
  ),
});
export const addedMember = object("One person's outcome of an add-members call.", {
  address: string("The person's folded address."),
  added: boolean("True where the person was added."),
  error: optional(described(error, "Why the person was not added.")),
  prefix: optional(string("The prefix of the team key.")),
  roles: optional(list(string(), "The roles of the team key.")),
});
export const learned = described(
  anyOf(
    object("Of a creation.", {
      kind: described(literal("create-user"), "The kind of the action."),
      address: string("The folded address."),
      identifier: optional(string("The service's identifier of the user.")),
      prefix: optional(string("The prefix of the key that the creation gave.")),
      roles: optional(list(string(), "The roles of that key.")),
      answered: profile,
      was: optional(
        described(
          literal("there-before"),
          "The call created no user: the service had this user already. roster uses this user as it is.",
        ),
      ),
      team_identifier: optional(string("The service's identifier of the new team.")),
    }),
    object("Of an addition of members.", {
      kind: described(literal("add-members"), "The kind of the action."),
      team: string("The team's sameness in a roster."),
      members: list(addedMember, "One entry for each person."),
    }),
    object("Of a replacement of roles.", {
      kind: described(literal("replace-roles"), "The kind of the action."),
      prefix: string("The key's prefix."),
      roles: optional(list(string(), "The roles of the key after the call.")),
    }),
  ),
  "What an answer has shown.",
);
export const outcome = described(
  extended(
    {
      action: string("The action's id."),
      retries: optional(
        integer({ minimum: 1, description: "How often its call was sent again. Absent where it was sent once." }),
      ),
    },
    anyOf(
      object("It was done.", { outcome: described(oneOf("succeeded"), "How it ended."), learned }),
      object("It had no effect, or its outcome is not known.", {
        outcome: described(oneOf("failed", "unknown"), "How it ended."),
        error: described(error, "Why."),
      }),
      object("It was not sent.", {
        outcome: described(oneOf("skipped", "stale", "unneeded"), "How it ended."),
        why: string("Why."),
        cause: optional(string("The id of the action whose end is the cause.")),
      }),
    ),
  ),
  "How an action ended.",
);
export const run = object("The result of an apply.", {
  run: string("The run's identifier."),
  started_at: string("When it started, ISO 8601."),
  outcomes: list(outcome, "In the order in which the actions ended."),
  counts: object("Actions by outcome.", {
    succeeded: count("Actions: succeeded."),
    unneeded: count("Actions: unneeded."),
    failed: count("Actions: failed."),
    unknown: count("Actions: unknown."),
    skipped: count("Actions: skipped."),
    stale: count("Actions: stale."),
  }),
  keys: list(
    object("A prefix that the run learned.", {
      email: string("The person's address as it is written."),
      address: string("The person's folded address."),
      team: optional(string("The team whose key it is; absent for the user's own key.")),
      team_name: optional(string("The name of that team.")),
      prefix: string("The key's prefix."),
    }),
    "Key prefixes that the run learned.",
  ),
  findings: list(finding, "Findings that only the run could make."),
  verified: optional(
    object("What was touched, read again.", {
      at: string("When, ISO 8601."),
      result: described(
        oneOf("converged", "pending", "diverged", "unverified"),
        "`pending`: not shown yet. `diverged`: shown otherwise. `unverified`: it could not be read again.",
      ),
      remarks: list(string("One sentence."), "What does not show as asked yet."),
    }),
  ),
  retry: optional(
    list(
      string(),
      "Present where the service refused calls for good: the codes for `--allow` that send them again, as in `refused:bo@acme.example#7f3a90c1d4e5`.",
    ),
  ),
  ended: optional(
    object("How the run ended.", {
      at: string("When, ISO 8601."),
      how: described(oneOf("completed", "stopped", "interrupted"), "How."),
      why: optional(string("Why it did not complete.")),
    }),
  ),
});
export const shown = described(
  oneOf("shown", "hidden", "unknown"),
  "If the service shows it. `unknown` if no answer had it.",
);
export const reading = object("How the service was read.", {
  service: string("The base address of the service."),
  read_at: string("When the oldest read began, ISO 8601."),
  reads: optional(list(oneRead, "When each read began and what it asked; absent of a saved plan.")),
  everyone: userList,
  capabilities: object("What the answers of this service show.", {
    keys_on_users: described(shown, "Users carry their access keys."),
    roles_on_keys: described(shown, "Keys carry their roles."),
    teams_on_keys: described(shown, "Keys carry the team that they belong to."),
    titles: optional(described(shown, "Users carry their titles.")),
    totals: optional(described(shown, "Lists say how many rows there are in all.")),
    first_page: optional(
      described(oneOf("0", "1", "0-and-1-alike", "unknown"), "The number of the first page of lists."),
    ),
    largest_page: optional(
      nullable(integer("The maximum rows of a page, if the service returns fewer than requested.")),
    ),
  }),
});
export const diagnostic = object("Something wrong with a roster file, the settings or the command line.", {
  code: string("Stable name of the fault, such as `unknown-key`."),
  severity: described(oneOf("error", "warning"), "Errors end the command; warnings do not."),
  message: string("What is wrong and why."),
  hint: optional(string("What to do next.")),
  place: optional(described(place, "Where it is.")),
  excerpt: optional(
    object("The source line at the place.", {
      line: string("The line as it stands in the file."),
      length: count("How many columns the fault covers."),
    }),
  ),
});
export const drift = object(
  "How the service and the roster differ, why and since when (`drift`). Absent in other documents. `actions` and `findings` are those of the plan. With `--repair` the actions are those that were run, and `items` is what is left.",
  {
    classes: object("How many of `items` are of each class.", {
      tampered: count("Of the class `tampered`."),
      unapplied: count("Of the class `unapplied`."),
      blocked: count("Of the class `blocked`."),
      pending: count("Of the class `pending`."),
      unmanaged: count("Of the class `unmanaged`."),
      information: count("Of the class `information`."),
    }),
    coverage: object(
      "How many of what the service shows the roster names. `teams` and `keys` are absent where the service does not show them. The owner of the API key in use is not counted, unless the roster names that user.",
      {
        users: described(covered, "Of people who are not deleted."),
        teams: optional(described(covered, "Of teams that keys show.")),
        keys: optional(described(covered, "Of keys that are not deleted: those that the roster lists or leads to.")),
      },
    ),
    only_new: boolean(
      "Whether `items`, `changes`, `blocking` and the exit code are about what is new alone (`--only-new`).",
    ),
    changes: count("Changes that apply can make and that are not accepted. With changes, the exit code is 2."),
    blocking: count(
      "Tasks, and keys with a privileged role that the roster does not give. Without accepted ones. With problems and no changes, the exit code is 9.",
    ),
    privileged_gains: count(
      "How many keys have a privileged role that the roster does not give, without accepted ones.",
    ),
    tasks: object("The tasks: what is left for a person. Accepted items are not in it.", {
      open: count("All that is listed."),
      new: count("No recorded run has seen them before."),
      closed: count("Recorded before, and proven to be gone."),
      items: list(
        object({
          fingerprint: string("As in `items`."),
          since: optional(string("ISO 8601, when a recorded run first saw it. Absent if it is new.")),
          owner: optional(
            string("Who is to see to it: the owner, else the admin of the team or the holder of the key."),
          ),
        }),
        "The oldest comes first.",
      ),
      closed_items: list(
        object({
          fingerprint: string("Identifies the finding in every run."),
          code: string("The code of the finding."),
          subject: string("The subject of the finding."),
          since: string("When it was first seen (ISO 8601)."),
          owner: optional(string("Who had to see to it.")),
        }),
        "Proven to be gone since the last recorded run.",
      ),
    }),
    items: list(
      driftItem,
      "One for each finding, each action, and each person of an addition of members. Privileged gains come first.",
    ),
    unused_accepts: list(
      acceptEntry,
      "Entries under `accept` in the roster that fit nothing. Empty where not everything was looked at.",
    ),
    recorded: boolean("Whether the state remembers what was seen."),
    not_recorded_because: optional(string("Why it does not, although it was to.")),
  },
);

/** What a command shows besides a plan, a run and a drift. Each is a line of `--format ndjson` too. */
export type OtherParts = ObjectOf<ReturnType<typeof partly<typeof otherParts>>>;
export const otherParts = {
  roster: object("The roster in numbers, where it is valid.", {
    files: count("Files read."),
    users: count("Users."),
    leavers: optional(count("Leavers; of a user whose `until` has come, one for each of their addresses.")),
    teams: count("Teams."),
    keys: count("Keys managed by prefix."),
  }),
  reading: reading,
  from_snapshot: object(
    "The plan was made of a snapshot file (`plan --from FILE`): a preview, which is never applied. Absent where the service was read.",
    { made_at: string("ISO 8601, when the file was made; `reading.read_at` says when the service was read.") },
  ),
  plan_file: object("The plan file that was written (`plan --out`), shown or applied.", {
    path: string("The file, as it was named; `-` is standard input."),
    file: string("Its id, by which the state remembers that it was applied."),
    made_at: string("When it was made, ISO 8601."),
    made_by: string("The version of roster that made it."),
    expires_at: string("From when on it is not applied any more, ISO 8601."),
    digest: string("SHA-256 of the bytes of the file, in hexadecimal."),
    roster_digest: string("Digest of the roster that it was made for."),
    state: nullable(
      object("The place in the log at which it was made; null where there was no log yet.", {
        lineage: string("Names the log apart from every other."),
        serial: integer("The position of the last event."),
      }),
    ),
    read_at: string("When the oldest read of its plan began, ISO 8601."),
    words: list(string(), "What a person has said for this plan alone, as flags."),
  }),
  examination: object("What `doctor` asked of the service, what came back, and what it means.", {
    service: nullable(string("The base address of the service; null where none could be asked.")),
    settings: list(
      object({
        name: string("As in the settings file, or a name of its own for what only flags and variables say."),
        value: string("As it is written; `set` where it is a secret."),
        from: source,
      }),
      "The settings that are set. Nothing of them is a secret.",
    ),
    checks: list(
      object({
        check: string("Stable name of the question, such as `base-address`."),
        mark: described(
          oneOf("ok", "notice", "problem"),
          "`problem`: no plan can be made so. `notice`: a plan knows or may do less.",
        ),
        asked: string("What was asked."),
        came: string("What came back."),
        means: string("What it means for a plan, and what to do where something is to be done."),
      }),
      "One for each question, in the order in which they were asked.",
    ),
    capabilities: nullable(
      object("What the answers of this service show, as in `reading`; null where no user could be read.", {}),
    ),
  }),
  state: object(
    "The result of a subcommand of `state`. Absent for other commands, for `state show`, and without a result. The other fields depend on `did`.",
    {
      did: described(
        oneOf("look-at-lock", "unlock", "list-calls", "resolve", "copy", "set-endpoint", "prune", "rebuild"),
        "`look-at-lock`: `unlock` without an ID. `list-calls`: `resolve` without an ID.",
      ),
      address: optional(string("Where the log is, without credentials.")),
      lineage: optional(string("Names the log apart from every other.")),
      open: optional(integer("`copy`: how many calls have an outcome that is not known.")),
      holder: optional(
        nullable(
          object(
            "`look-at-lock`, `unlock`: who holds the lock, or held it until it was broken. Null if the lock is free.",
            {
              id: string("What `state unlock` takes."),
              who: optional(string("Such as `ada@build-7`.")),
              operation: optional(string("Such as `apply`.")),
              since: optional(string("ISO 8601, when the lock was taken.")),
              silent_for: optional(integer("Milliseconds since the holder gave a sign of life.")),
              fence: optional(integer("Counts the holders of this lock.")),
            },
          ),
        ),
      ),
      calls: optional(
        list(
          object({
            id: string("What `state resolve` takes."),
            run: string("The run that announced the call."),
            action: string("The id of its action in the plan of that run."),
            at: string("ISO 8601, when it was announced or its answer was given up."),
            accepted: boolean("Whether the service took it for later."),
            kind: described(oneOf("create-user", "add-members", "replace-roles"), "What kind of call it is."),
            people: list(string(), "Their addresses."),
            call: string("What was asked, in words."),
            why: string("Why reading could not show the outcome."),
          }),
          "`list-calls`: the calls whose outcome is not known, oldest first.",
        ),
      ),
      id: optional(string("`resolve`: the call that was resolved.")),
      call: optional(string("`resolve`: what it had asked, in words.")),
      outcome: optional(described(oneOf("done", "not-done"), "`resolve`: what was said of it.")),
      still_open_for: optional(list(string(), "`resolve`: the addresses of people for which the call stays open.")),
      left: optional(integer("`resolve`: how many calls stay open.")),
      from: optional(string("`copy`: where the log was. `set-endpoint`: where the service was.")),
      to: optional(string("`copy`: where it goes on. `set-endpoint`: where the service is.")),
      kept: optional(described(literal(true), "`copy --keep`: nothing was copied; the log at the new place goes on.")),
      before: optional(string("`prune`: all events that went are from before this time, ISO 8601.")),
      export: optional(string("`prune`: the file that has them.")),
      first: optional(integer("`prune`: the position of the first event that went.")),
      head: optional(described(logHead, "`prune`: the last event that went.")),
      forgotten: optional(integer("`prune`: how many users remain as digests alone.")),
      people: optional(integer("`rebuild`: how many people are known again.")),
      teams: optional(integer("`rebuild`: how many teams, with their identifiers.")),
      memberships: optional(integer("`rebuild`: how many memberships were seen.")),
      prefixes: optional(integer("`rebuild`: how many prefixes of keys were learned.")),
      missing: optional(list(string(), "`rebuild`: people of the roster that the service does not show.")),
      unlearned: optional(list(string(), "`rebuild`: what could not be learned, one sentence each.")),
    },
  ),
  audit: object("The result of `audit` or `audit verify`.", {
    did: described(oneOf("verify", "show"), "`show`: `audit` itself."),
    address: string("The place of the log, without credentials."),
    head: optional(described(logHead, "`verify`: the end of the log.")),
    checkpoint: optional(integer("`verify --full`: the position of the checkpoint that was compared.")),
    pruned: optional(
      object("`verify`: where the log was pruned, if it was: the last of the events that went.", {
        position: integer("Its position."),
        hash: string("The hash of its line."),
        before: string("All of them are from before this time, ISO 8601."),
      }),
    ),
    known: optional(described(logHead, "`verify --head`: the earlier head.")),
    changes: optional(
      list(
        object({
          position: integer("The position of the event in the log."),
          at: string("When it was recorded (ISO 8601)."),
          run: string("The run that wrote the event."),
          did: described(
            oneOf(
              "create-user",
              "add-member",
              "replace-roles",
              "key-learned",
              "moved-to",
              "endpoint-changed",
              "pruned",
              "allowance-used",
            ),
            "The kind of call. `allowance-used`: a code of `--allow` let something pass. `key-learned`: a read showed a prefix. `moved-to`: the log goes on elsewhere. `endpoint-changed`: the service has another address. `pruned`: older events were exported.",
          ),
          outcome: optional(
            described(
              oneOf("done", "failed", "there-before", "unknown"),
              "`there-before`: the user existed already. `unknown`: a later read decides.",
            ),
          ),
          person: optional(string("The e-mail address, folded.")),
          team: optional(string("The name of the team.")),
          prefix: optional(string("The prefix of the key.")),
          roles_before: optional(list(string(), "The roles that were observed before the call.")),
          roles_after: optional(list(string(), "The roles after the call, as shown by the service or as sent.")),
          code: optional(string("The code of `--allow`.")),
          covers: optional(list(string(), "What the code covers: its subject, then the calls or values.")),
        }),
        "`show`: one entry for each change.",
      ),
    ),
  }),
  explanation: object("What `explain` prints.", {
    codes: list(
      explainedCode,
      "What was asked about, where it is a code: one entry for each kind of thing that has it. For `codes`, every code.",
    ),
    things: list(
      explainedThing,
      "What was asked about, where it is a thing; several where a name is that of several teams.",
    ),
  }),
  fleet: object("What `fleet` found out about its targets. `fleet-summary.schema.json` describes that of a run.", {
    did: described(
      oneOf("validated", "plan", "drift", "apply"),
      "Whether the targets were checked, or what each of them ran.",
    ),
    file: string("The fleet file."),
    targets: list(object({}), "The targets, in order."),
  }),
};

export type PlanDocument = Static<typeof planDocument>;
export const planDocument = together(
  object({
    format_version: string({ pattern: "^1\\.[0-9]+$", description: "Major and minor version of this format." }),
    command: string(
      "The command that made the document: `validate`, `plan`, `show`, `apply`, `drift`, `doctor`, `state`, `audit`, `explain` or `fleet`.",
    ),
    ...partly(planFields),
    ...partly(otherParts),
    run: optional(run),
    drift: optional(drift),
    log_head: optional(described(logHead, "Where the log ends, if the command added events to it.")),
    diagnostics: list(diagnostic, "What is wrong with the roster, the settings or the command line; warnings too."),
    error: described(nullable(error), "What ended the command before its work was done, or null."),
    exit_code: count("The exit code of the command."),
  }),
  ["plan_id", "service", "actions", "users", "teams", "findings", "summary"],
);
