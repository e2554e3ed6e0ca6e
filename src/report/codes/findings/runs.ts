import { codeText } from "../code-words.ts";

/** Findings of guards that hold, and about the run itself. */
export const aboutRuns = {
  "allowed-email-domains": codeText(
    "an address is of a domain that is not allowed",
    "The guard allowed-email-domains holds the creation or the addition: the settings list the domains of people who may be invited, and this is none of them.",
    "Correct the address, or add its domain to `guards.allowed-email-domains`; or say --allow with the word that the finding prints.",
  ),
  "near-duplicate": codeText(
    "somebody of this name is there already",
    "The guard near-duplicate holds the creation: the service shows a person of the same name with a near address, whom the roster does not name, names as a leaver, or has just dropped. A second account could not be deleted.",
    "If it is the same person, write the address that is there, or the former one under `previously`; if not, `distinctFrom: [ADDRESS]`.",
  ),
  "privileged-roles": codeText(
    "somebody would gain a privileged role",
    "The guard privileged-roles holds the change: it gives somebody a role that administers others, and they have none yet.",
    "Take the role out of the roster, or list the person under `guards.privileged-roles.people`; or say --allow with the word that the finding prints.",
  ),
  "own-key": codeText(
    "the key in use would lose its power",
    "The guard own-key holds the change: the key with which roster works would lose the privileged role by which it may do anything, and no later call could give it back.",
    "Keep the role in the roster, or run with the key of another administrator.",
  ),
  protected: codeText(
    "the settings protect somebody or some key",
    "The guard protected holds the change: it touches a person or a key that stands under `protect`.",
    "Make the roster ask for what is there, or take the entry out of `protect`.",
  ),
  "idle-allowance": codeText(
    "an allowance allows nothing",
    "--allow or ROSTER_ALLOW names a guard that has nothing against this plan.",
    "Take it away, so that it is not mistaken for a word about a later plan.",
  ),
  "idle-recreation": codeText(
    "--recreate changes nothing",
    "The person who is named is there, is no user of the roster, or would be created anyway.",
    "Correct the address, or leave the flag away.",
  ),
  settling: codeText(
    "something that roster did is not shown yet",
    "roster created somebody, added somebody to a team or set the roles of a key a short while ago, and the service answered that it was done. Reads do not show it yet: large directories need seconds to minutes. Until the consistency window is over, this is not taken for a change by somebody else, and nothing is sent again.",
    "Run plan again later. If reads of this service lag for longer, set `service.consistency` in the settings, or ROSTER_CONSISTENCY.",
  ),
  "unknown-outcome": codeText(
    "nobody knows what became of a call",
    "A run announced a call and never learned its outcome, and reading has not settled it. It is not sent again on a doubt: a mail cannot be unsent, and nobody is created twice.",
    "Plan again later. If it stays, look in the service, and say `roster state resolve ID --done` or `--not-done`.",
  ),
  refused: codeText(
    "the service refused this before",
    "The service refused the same request, and would refuse it again while neither the roster nor what is shown changes. It is not sent again by itself.",
    "Correct what the finding names, or have the service put in order and say --retry-refused for one run.",
  ),
  "not-selected": codeText(
    "a selection leaves out what this needs",
    "--include or --exclude leave out a person or a team that has to be created first.",
    "Select that as well, or plan without a selection.",
  ),
  "rests-on-records": codeText(
    "the plan takes facts from records",
    "The service does not show all that the roster is about, so that memberships or roles are taken as recorded or as the roster gives them. What is not shown cannot be seen to drift.",
    "Nothing.",
  ),
  "unread-fields": codeText(
    "the service carries fields that roster does not read",
    "The service was not seen to show keys, prefixes, roles or teams, and its answers have fields that look like them by their name or by what stands there.",
    "If they are what they look like, add the printed lines to the settings, and plan again.",
  ),
  "from-snapshot": codeText(
    "the plan is a preview that was made of a snapshot",
    "`plan --from FILE` reads no service: it goes by what `roster observe` read earlier. Such a plan is never applied, and an absence that only a list shows is proven by a search when `apply` reads the service again.",
    "Nothing. Where the snapshot is old, have a new one read.",
  ),
  "not-checked": codeText(
    "a hashed snapshot does not hold what a check needs",
    "The addresses in the snapshot are hashed and the names are left out, so that near duplicates and profiles cannot be compared.",
    "Nothing: the plan that reads the service checks it.",
  ),
};
