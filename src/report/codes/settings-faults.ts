import { type CodeText, codeText } from "./code-text.ts";

const outOfCheckout =
  "With CI set, a change to the checkout must not be able to choose which file of the machine is read or written, or where a secret goes.";

/** What can be wrong with settings, variables, the endpoint, the key and where the state lives. */
export const settingsFaults: Readonly<Record<string, CodeText>> = {
  "bad-settings": codeText(
    "a settings file says something that cannot be",
    "A setting is unknown, or its value is not of the kind that it takes.",
    "Correct it at the place that is shown; `roster config` shows what is in force.",
  ),
  "unreadable-settings": codeText(
    "a settings file cannot be read",
    "It was found or named, and could not be opened.",
    "Look at its path and permissions.",
  ),
  "untrusted-settings": codeText(
    "a setting in the checkout is not taken from there",
    "With CI set, a settings file inside the checkout may not redirect or relax anything: a pull request could. `roster config` says what each refused setting could do.",
    "Set it by a variable or a flag, move the settings out of the checkout and name them in ROSTER_CONFIG, or set ROSTER_TRUST_SETTINGS=1 where every change is reviewed before it runs.",
  ),
  "untrusted-state": codeText(
    "the state is kept in git, or is a link out of the checkout",
    outOfCheckout,
    "Name a state that git does not keep, where it is.",
  ),
  "untrusted-plan-file": codeText(
    "a plan file is kept in git, or is a link out of the checkout",
    outOfCheckout,
    "Name the plan file where it is.",
  ),
  "untrusted-snapshot": codeText(
    "a snapshot is kept in git, or is a link out of the checkout",
    outOfCheckout,
    "Name the snapshot where it is.",
  ),
  "untrusted-output": codeText(
    "a file to write is a link out of the checkout",
    outOfCheckout,
    "Name the file where it is.",
  ),
  "untrusted-acknowledgements": codeText(
    "the acknowledgements lie out of the checkout",
    outOfCheckout,
    "Put them into the checkout, or name them with --acknowledgements.",
  ),
  "roster-leads-out": codeText(
    "a roster path is a link out of the checkout",
    outOfCheckout,
    "Put the files in the place of the link.",
  ),
  "unknown-variable": codeText(
    "the environment has a ROSTER_ variable that is not known",
    "A slip in its name would leave it without effect.",
    "Correct or unset it; the message names the nearest one.",
  ),
  "bad-parallelism": codeText(
    "the parallelism is no whole number from 1 to 64",
    "It says how many calls are under way at once.",
    "Give another number.",
  ),
  "bad-rehearse": codeText(
    "ROSTER_REHEARSE is neither 1 nor 0",
    "It says whether each plan is rehearsed.",
    "Set it to 1 or 0, or leave it out.",
  ),
  "no-endpoint": codeText(
    "nothing says where the account service is",
    "A flag, ROSTER_ENDPOINT or `endpoint` in the settings names it.",
    "Set one of them; `roster demo` needs none.",
  ),
  "bad-endpoint": codeText(
    "the endpoint is no address to which a key may be sent",
    "It is an https address, or http on this machine, without credentials and queries.",
    "Correct it.",
  ),
  "no-key": codeText(
    "there is no API key",
    "ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand` gives it; no flag does.",
    "Set one of them.",
  ),
  "two-keys": codeText(
    "a key is given twice",
    "Both the variable with a key and the one with its file are set.",
    "Unset the one that is not meant.",
  ),
  "bad-key": codeText(
    "the API key cannot be sent",
    "It is empty, or holds a line break or another character that no header carries.",
    "Look at where it comes from; it is not shown.",
  ),
  "unreadable-key-file": codeText(
    "a key file cannot be read",
    "It is named, and could not be opened.",
    "Look at its path and permissions.",
  ),
  "key-command-failed": codeText(
    "the `apiKeyCommand` gave no key",
    "It could not be run, failed, or printed nothing.",
    "Run it by hand.",
  ),
  "key-stays-home": codeText(
    "a key from the environment would go where the checkout says",
    "A key that the environment gives goes only to an address from the environment, a flag, or settings outside the checkout.",
    "Name the address in the environment or by a flag.",
  ),
  "bad-webhook": codeText(
    "a webhook is no address that can be told",
    "It is an https address, or http on this machine, without credentials before its host.",
    "Correct it.",
  ),
  "short-webhook-secret": codeText(
    "the secret of a webhook is too short",
    "It could be guessed, and with it a signature be made.",
    "Make one of 32 random bytes.",
  ),
  "bad-proxy": codeText(
    "a proxy is not one that can be used",
    "It is an http or https address.",
    "Correct it; NO_PROXY names hosts that are reached without one.",
  ),
  "bad-ca-file": codeText(
    "a file of certificates cannot be used",
    "It cannot be read, or holds no certificates in PEM form.",
    "Name another file.",
  ),
  "state-not-named": codeText(
    "CI is set, and nothing says where the state lives",
    "A state inside a pipeline's checkout would be lost with it.",
    "Pass --state or set ROSTER_STATE.",
  ),
  "unknown-state-store": codeText(
    "the state is kept in a way that is not known",
    "It is file:PATH, https://…, postgres://… or s3://….",
    "Correct the address.",
  ),
  "bad-state-address": codeText(
    "the address of the state cannot be used",
    "A part is missing, or says what it cannot.",
    "Correct it as the message says.",
  ),
  "bad-state-credentials": codeText(
    "credentials of the state cannot be sent",
    "They hold a character that no header carries.",
    "Look at where they come from.",
  ),
  "no-state-credentials": codeText(
    "credentials of the state are missing",
    "A bucket needs them, from the environment.",
    "Set the variables that the message names.",
  ),
  "no-state-region": codeText(
    "nothing says in which region the bucket is",
    "Requests to it are signed for a region.",
    "Add ?region=REGION, or set AWS_REGION.",
  ),
  "state-of-another-service": codeText(
    "the state is about another service",
    "What is remembered of one service would be taken for facts of the other.",
    "Name the state of this service; where it has only got another address, `roster state readdress URL` says so.",
  ),
};

/** What can be wrong with the seed and the knobs of the reference service, which `roster serve` runs. */
export const referenceService: Readonly<Record<string, CodeText>> = {
  "seed-empty": codeText("a seed has no account", "Users and teams are in accounts.", "Add one under `accounts`."),
  "seed-duplicate": codeText(
    "a seed names something twice",
    "Names and addresses in a seed are unique.",
    "Take one of the two out.",
  ),
  "seed-unknown-name": codeText(
    "a seed names something that is not there",
    "Members, owners and roles refer to what the seed has.",
    "Correct the name, or add it.",
  ),
  "seed-wrong-type": codeText(
    "a value in a seed is of another type",
    "The message says what is expected.",
    "Correct it.",
  ),
  "seed-bad-value": codeText("a value in a seed cannot be", "The message says what is expected.", "Correct it."),
  "seed-missing-key": codeText("a key is missing in a seed", "The message says which.", "Add it."),
  "seed-unknown-key": codeText(
    "a seed has a key that is not known",
    "The message names the nearest one.",
    "Correct it.",
  ),
  "unknown-knob": codeText(
    "there is no such knob",
    "The message names the nearest one; `--knobs list` shows all.",
    "Correct the name.",
  ),
  "bad-knob-value": codeText("a knob cannot have this value", "The message says which it takes.", "Correct it."),
};
