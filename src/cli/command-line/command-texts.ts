/**
 * Every command as its help tells it, by what it is for, in the order of the work with it. A command has its examples, its arguments and its
 * flags. `with` names flags of several commands, and sets of them; `formats=` what `--format` takes: all that a command has, and then reports too,
 * or these; `reports=` the reports of a fleet's targets; `first` the flags of its first help, where it has many.
 */
export const commandTexts = `
Try it:
demo: try a plan, an apply, drift and a repair in ten seconds
  roster demo  # a service, a plan, an apply, drift and its repair

init [directory]: create a roster file, settings and a line in .gitignore
  roster init  # in this directory
  roster init my-roster  # in a new one
  [directory]: the directory (default: .)

serve: run the built-in account service on this machine
  roster serve  # a service to try roster on, at port 7070; it keeps its data
  roster serve --seed acme --data memory  # start with a small company, and keep no data
  roster serve --knob public --knob latencyMs=200  # answer as the public pages of such a service show
  --port <number>: the port to listen on; 0 chooses a free port (default: 7070)
  --seed <file>: acme, leavers, or YAML with accounts and users; used only if there is no data yet
  --data <file>: file that keeps all data; \`memory\` keeps none (default: .roster/serve/PORT.json; memory with --port 0)
  --knob <name=value>: answer as another service would; repeatable; \`--knob list\` shows all

Everyday:
validate [path...]: check the roster files for errors
  roster validate  # what the settings name, or this directory
  roster validate people teams/data.yaml  # just these, as one roster
  with --account formats=validate

plan [path...]: show planned changes and tasks
  roster plan  # show planned changes
  roster plan --out plan.json  # save the plan
  roster plan --include user:ada@acme.example  # only one person
  with service --from run --detailed-exitcode --unmanaged formats=plan --view
  first out from unmanaged include exclude allow reason format report detailed-exitcode endpoint state
  --out <file>: save the plan for \`roster apply FILE\`; valid for 24h

show <file>: show a saved plan
  roster show plan.json  # a plan that was saved
  roster show plan.json --view calls  # the same, call by call
  <file>: a plan saved with --out or --format json; - is standard input
  with formats=show --view

apply [path...]: make the service match the roster, or apply a saved plan
  roster apply  # plan, ask, apply
  roster apply --auto-approve  # in a pipeline, on merge
  roster apply plan.json  # apply a saved plan, without a question
  with service run lock --auto-approve --unmanaged formats=apply --view
  first include exclude allow reason auto-approve format report view endpoint state lock-timeout
  --expect-plan <id>: apply only the plan with this ID
  --sequence <n>: number of this run; refused if a higher one was applied
  --expect-head <head>: refuse a log without this head of an earlier apply

explain [what] [path...]: explain a user, team, key, role, action, finding, code or exit code
  roster explain user:ada@acme.example  # everything about one user
  roster explain role:ACCOUNT_ADMIN  # who has it, who should have it, and why
  roster explain unproven-absence  # what a code means, and what to do
  [what]: user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint, a code, or \`codes\` for all codes
  with service --from run formats=explain
  first from unmanaged include exclude format report endpoint state debug
  --unmanaged: read users, keys and privileges outside the roster too

import [path...]: create roster files from the service, or one from a CSV file of people
  roster import my-roster  # everything that the key may see
  roster import --from people.csv --out people/hr.yaml  # generate a roster file from an HR export
  [path...]: a new directory to write to; with --from: roster files and directories
  with reading --state
  --account <id>: an account to adopt; repeatable (default: the settings' accounts, or all); with --from: of the new file
  --from <file>: with --out: a CSV file of people, such as an HR export
  --out <file>: with --from: the roster file to generate, such as people/hr.yaml
  --allow <code>: with --from: let these people lose access, by the code that a refusal prints; repeatable

completion <shell>: print a completion script for bash, zsh or fish
  roster completion bash  # eval "$(roster completion bash)" in ~/.bashrc
  roster completion zsh  # source <(roster completion zsh) in ~/.zshrc, below compinit
  roster completion fish  # roster completion fish | source in ~/.config/fish/config.fish
  <shell> (bash|zsh|fish): the shell

CI:
drift [path...]: report how the service differs from the roster
  roster drift  # show differences, and since when
  roster drift --only-new --format json  # in a nightly job
  roster drift --repair tampered  # undo changes that others made
  with service run lock --only-new formats=drift
  first only-new repair include exclude auto-approve format report endpoint state lock-timeout
  --repair <class>: apply this class: tampered, unapplied; repeatable
  --auto-approve: with --repair: do not ask for approval
  --no-record: do not record seen differences in the log

snapshot [path...]: save a snapshot for offline planning
  roster snapshot --out snapshot.json  # for \`roster plan --from snapshot.json\`
  roster snapshot --out snapshot.json --deadline 20m  # stop reading after 20 minutes
  with service --deadline
  --out <file> (required): the file to write; - is standard output

access [path...]: list who holds which role, and since when
  roster access --include role:ACCOUNT_ADMIN  # who is an administrator, and since when
  roster access --format html > access.html  # people and teams, with search
  roster access --as-of 2026-06-30  # at the end of June, by the log
  [path...]: roster files or directories; with --format json, a saved plan too (default: .)
  with service formats=text|html|svg|csv|json|markdown
  first as-of include format account endpoint state
  --as-of <when>: at this time, by the log; a date, or 30d for 30 days ago
  --include <selector>: only user:EMAIL, team:NAME or role:NAME; repeatable

audit: show who changed what with roster, and check the log
  roster audit --since 30d  # who changed what with roster; for changes by others, see drift
  roster audit --include user:ada@acme.example  # what roster did about one user
  roster audit --since 90d --format csv  # a row for each change, for a review
  with --state formats=text|json|csv|ndjson
  --since <when>: only changes since this date, or for this long, such as 30d
  --as-of <when>: only changes until this date
  --include <selector>: only user:EMAIL, team:NAME or run:ID; repeatable

audit verify: check that no event was changed, removed or added
  roster audit verify  # the whole log
  roster audit verify --expect-head HEAD  # and was nothing cut off since?
  with --state formats=audit
  --expect-head <head>: fail unless the log contains this earlier head

fleet: run many rosters, each with its service
  roster fleet validate  # check fleet.yaml and every roster
  roster fleet drift  # check every service, such as at night

fleet validate: check the fleet file and the rosters of its targets
  roster fleet validate  # check fleet.yaml and every roster
  roster fleet validate --include acme  # one target
  with fleet formats=text|json

fleet plan: plan every target
  roster fleet plan  # show which targets would change
  roster fleet plan --include acme --report text=plans  # and write each plan to plans/targets
  with fleet --allow --reason --detailed-exitcode targets formats=text|json|markdown reports=plan
  --unmanaged: also report users and keys outside the rosters

fleet drift: report how every service differs from its roster
  roster fleet drift  # every target
  roster fleet drift --report html=out --report json=out  # with a page for each target, and an index
  with fleet --only-new targets locks formats=text|json|markdown reports=drift
  --no-record: do not record seen differences in the logs

fleet apply: make every service match its roster
  roster fleet apply --auto-approve --include acme  # one target
  roster fleet apply --auto-approve --max-failures 3  # all of them; stop after three failures
  with fleet --allow --reason targets locks formats=text|json|markdown reports=apply
  first include allow reason auto-approve format report fleet parallelism max-failures deadline lock-timeout
  --auto-approve: do not ask for approval; required
  --unmanaged: also report users and keys outside the rosters

fleet access: list who holds which role in every target
  roster fleet access --person bo@acme.example  # is this person anywhere?
  roster fleet access --report html=out  # people and targets, as a page
  with fleet targets formats=text|json|markdown reports=fleet
  --person <email>: only this user; exit code 0: in no target; 9: in a target, or not all was shown

fleet worker: check and apply targets from a queue in PostgreSQL
  roster fleet worker --queue postgres://roster@db.example/roster  # until SIGTERM
  roster fleet worker --parallelism 16  # with more targets at the same time
  with --fleet --queue
  --parallelism <n>: number of targets at the same time (default: of the fleet file, or 4)

fleet enqueue [plans]: give targets to the workers
  roster fleet enqueue  # a drift of every target
  roster fleet enqueue --changed-since origin/main  # a drift of what has changed
  roster fleet enqueue plans  # apply the plans that \`roster fleet plan --report json=plans\` wrote
  [plans]: a directory of plans to apply, if they are still the same (default: a drift)
  with fleet --queue
  --changed-since <commit>: only targets whose roster files have changed since then
  --round <name>: the name of this round; the same name enqueues a target once only

fleet status: show the queue and the last result of each target
  roster fleet status  # what waits, runs, failed and differs
  roster fleet status --report html=site  # as a page
  roster fleet status --format prometheus  # for alerts, and to scale by the length of the queue
  with fleet --queue formats=text|json|markdown|prometheus reports=fleet

fleet pause: stop all writes of the workers
  roster fleet pause --reason "INC-42: wrong roles"  # applies stop before their next call
  roster fleet pause --reason maintenance --queue postgres://db.example/roster  # of this queue
  with --queue
  --reason <text> (required): why, for the others

fleet resume: let the workers write again
  roster fleet resume  # applies go on
  roster fleet resume --queue postgres://db.example/roster  # of this queue
  with --queue

fleet list: list the targets, such as for the matrix of a pipeline
  roster fleet list  # the name of each target
  roster fleet list --changed-since origin/main --format json  # as JSON, with the variable of each key
  with fleet formats=text|json
  --changed-since <commit>: only targets whose roster files have changed since then

Repair:
doctor: show settings, check the connection and how the API behaves
  roster doctor  # how the service answers, and what that means for a plan
  roster doctor --endpoint https://accounts.example.com --format json  # another service, as JSON
  with reading --state formats=doctor
  --account <id>: the account to read (default: the accounts of the settings, or all)

state: inspect and repair the state
  roster state show  # what roster remembers
  roster state unlock  # who holds the lock

state show: show recorded users, teams, members and keys
  roster state show  # people, teams, memberships and key prefixes
  roster state show --format yaml  # identifiers and prefixes, to paste into roster files
  roster state show --state s3://acme-roster/log  # a log in another store
  with --state formats=text|json|yaml

state unlock [id]: show who holds the lock; with its ID, break it
  roster state unlock  # who holds the lock, and its ID
  roster state unlock 7d1f4c52  # break the lock of a run that is dead
  [id]: the ID of the lock, as \`roster state unlock\` shows it; 8 characters are enough
  with --state formats=state

state resolve [id] [outcome] [person...]: list calls with an unknown outcome; with an ID, record the outcome
  roster state resolve  # list calls with an unknown outcome
  roster state resolve 4b7e9a01 not-done  # it was not done: a plan may send it again
  roster state resolve 4b7e9a01 done bo@acme.example  # it was done for this member
  [id]: the ID of the call, as \`roster state resolve\` shows it
  [outcome] (done|not-done): what you saw in the service; not-done: a plan may send it again
  [person...]: only these members of the call, by their addresses
  with --state lock formats=state

state copy <to>: copy the log to another store, and stop using it here
  roster state copy s3://acme-roster/log  # to a bucket
  roster state copy file:/var/lib/roster/log.jsonl  # to another file
  <to>: the new place, such as file:/var/lib/roster/log.jsonl; must be empty
  with --state lock formats=state
  --keep <lineage>: copy nothing: the log at the new place, of this lineage, goes on instead

state prune: move old events of the log to a file
  roster state prune --before 730d --out log-2024.jsonl  # keep two years
  roster state prune --before 2026-01-01 --out log-2025.jsonl  # keep what is from this year
  with --state lock formats=state
  --before <when> (required): only commands that ended before this time; a date, or 365d
  --out <file> (required): the new file that the events are moved to

state set-endpoint <endpoint>: record a new address of the same service
  roster state set-endpoint https://accounts.example.com  # the service has this address now
  roster state set-endpoint https://accounts.example.com --lock-timeout 5m  # wait for a running apply
  <endpoint>: the new address, such as https://accounts.example.com
  with --state lock formats=state

state rebuild [path...]: rebuild a lost state from the service
  roster state rebuild  # after the log was lost
  roster state rebuild people teams --deadline 20m  # for two files, within 20 minutes
  with service lock formats=state
  --deadline <duration>: stop after this time, such as 20m
`;

/** Flags of several commands. Of each, `repeatable` in its text means that it is. */
export const sharedFlags = `
  --account <id>: default account for files
  --endpoint <url>: address of the account service
  --parallelism <n>: number of calls at the same time (default: 10)
  --debug: log every request to standard error, without keys
  --state <url>: where roster keeps its log: file:, postgres: or s3: (default: file:.roster/log.jsonl)
  --lock-timeout <duration>: wait for the lock, such as 5m (default: 0)
  --break-stale-lock <duration>: break a lock that was silent this long, at least 2m
  --view <name> (teams|calls): show a plan by teams, or its calls in order (default: teams; of a saved plan both)
  --from <file>: plan from a snapshot file (at most 24h old), without an API key
  --include <selector>: plan only this user:EMAIL or team:NAME; repeatable
  --exclude <selector>: leave out this user or team; repeatable
  --allow <code>: allow one task or guard, by the code that a plan prints; repeatable
  --reason <text>: your reason for --allow; needed for a privileged role, or if a guard refused the plan
  --deadline <duration>: start no new calls after this time, such as 20m
  --detailed-exitcode: exit with 2 for changes, 9 for tasks
  --unmanaged: also report users and keys outside the roster
  --auto-approve: do not ask for approval
  --only-new: report only differences that were not seen before
  --fleet <file>: the fleet file (default: fleet.yaml, here or above)
  --queue <url>: database of the queue, such as postgres://roster@db.example/roster
`;

/** What several commands take together. Flags of a fleet's runs have other texts than those of a single run. */
export const flagSets: Readonly<Record<string, string>> = {
  service: "--account --endpoint --parallelism --debug --state",
  reading: "--endpoint --parallelism --debug",
  run: "--include --exclude --allow --reason --deadline",
  lock: "--lock-timeout --break-stale-lock",
  fleet: "--fleet chosen",
  chosen: `
  --include <target>: only this target; repeatable
  `,
  targets: `
  --parallelism <n>: number of targets at the same time (default: of the fleet file, or 4)
  --max-failures <n>: start no more targets after this many have failed
  --deadline <duration>: start no new targets and calls after this time, such as 50m
  `,
  locks: `
  --lock-timeout <duration>: wait for the lock of a log, such as 5m (default: 0)
  --break-stale-lock <duration>: break a lock that was silent this long, at least 2m
  `,
};
