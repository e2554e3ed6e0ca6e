# Judges a saved plan of roster, as check-plan.mjs does:
#   conftest test plan.json --policy examples/policy --data access.json
#   opa eval --format pretty --data examples/policy/roster.rego --data access.json --input plan.json data.main.deny
package main

import rego.v1

privileged_roles := {"ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"}

contractor_domains := {"agency.example"}

contractor_roles := {"AUDITOR", "TEAM_ROLE"}

denied_findings := {"unmanaged-privilege"}

exclusive_roles := {"AUDITOR", "DEVELOPER"}

limited_roles := {"ACCOUNT_ADMIN"}

max_holders := 2

default is_plan := false

is_plan if {
	startswith(input.format_version, "1.")
	is_array(input.actions)
	is_array(input.findings)
	"error" in object.keys(input)
}

deny contains "not-a-plan: the input is not a plan of roster in format 1" if not is_plan

deny contains message if {
	is_plan
	input.error != null
	message := sprintf("refused: %s: %s", [input.error.code, input.error.message])
}

# Each role that an action gives. A key of unknown roles gets all of them.
grants contains {"action": action.id, "who": action.address, "role": role} if {
	is_plan
	some action in input.actions
	action.kind == "create-user"
	action.creates_team != null
	some role in action.creates_team.access_key_roles
}

grants contains {"action": action.id, "who": holder(action), "role": role} if {
	is_plan
	some action in input.actions
	action.kind == "replace-roles"
	some role in action.roles
	not role in had(action)
}

had(action) := [] if action.before.known == "unknown"

had(action) := action.before.value if action.before.known != "unknown"

holder(action) := object.get(action.key, "address", action.id)

# A plan that gives a privileged role does nothing else.
apart contains grant.action if {
	some grant in grants
	grant.role in privileged_roles
}

deny contains message if {
	some grant in grants
	grant.role in privileged_roles
	some action in input.actions
	not action.id in apart
	message := sprintf("privileges-apart: %s gets %s, and the plan changes more than that", [grant.who, grant.role])
}

# People of these domains get certain roles only.
deny contains message if {
	some grant in grants
	some domain in contractor_domains
	endswith(grant.who, sprintf("@%s", [domain]))
	not grant.role in contractor_roles
	message := sprintf("contractors: %s gets %s", [grant.who, grant.role])
}

# Nothing is applied while one of these findings is open.
deny contains message if {
	is_plan
	some finding in input.findings
	finding.code in denied_findings
	message := sprintf("findings: %s: %s", [finding.code, finding.subject])
}

# Who holds what once the plan is applied. What was not read may be anything.
default is_access := false

is_access if {
	data.plan_id == input.plan_id
	is_array(data.access)
	is_array(data.unread)
}

deny contains "not-the-access: the second input is not the access of this plan" if {
	is_plan
	not is_access
}

deny contains message if {
	is_plan
	is_access
	some gap in data.unread
	message := sprintf("unread: %s of %s", [gap.what, gap_name(gap)])
}

gap_name(gap) := gap.prefix if gap.prefix != null

gap_name(gap) := gap.person if {
	gap.prefix == null
	gap.person != null
}

gap_name(gap) := "the service" if {
	gap.prefix == null
	gap.person == null
}

# A key of nobody known counts as a person.
key_holder(key) := key.person if key.person != null

key_holder(key) := key.prefix if key.person == null

holders(role) := {key_holder(key) | some key in data.access; role in key.after}

deny contains message if {
	is_plan
	is_access
	some who in holders("AUDITOR") & holders("DEVELOPER")
	message := sprintf("exclusive-roles: %s would have %s", [who, concat(" and ", exclusive_roles)])
}

deny contains message if {
	is_plan
	is_access
	some role in limited_roles
	count(holders(role)) > max_holders
	message := sprintf("max-holders: %s would have %s", [concat(", ", holders(role)), role])
}
