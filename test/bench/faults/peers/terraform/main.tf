# Makes the account service match the locals below, with terraform_data and local-exec: there is no provider for the service.
# SERVICE is the address of the service, SERVICE_KEY the API key. Each script looks up first, so it can run again.

terraform {
  required_version = ">= 1.4"
}

locals {
  users = {
    "eve@acme.example"  = { firstName = "Eve", lastName = "Stone" }
    "sam@acme.example"  = { firstName = "Sam", lastName = "Okoro" }
    "tim@acme.example"  = { firstName = "Tim", lastName = "Brandt" }
    "uma@acme.example"  = { firstName = "Uma", lastName = "Pillai" }
    "vic@acme.example"  = { firstName = "Vic", lastName = "Moreau" }
    "wes@acme.example"  = { firstName = "Wes", lastName = "Hanlon" }
    "xia@acme.example"  = { firstName = "Xia", lastName = "Zhou" }
    "yul@acme.example"  = { firstName = "Yul", lastName = "Baran" }
    "zoe@acme.example"  = { firstName = "Zoe", lastName = "Carver" }
    "abe@acme.example"  = { firstName = "Abe", lastName = "Nilsson" }
    "finn@acme.example" = { firstName = "Finn", lastName = "Quist" }
    "dee@acme.example"  = { firstName = "Dee", lastName = "Marlow" }
    "ada@acme.example"  = { firstName = "Ada", lastName = "Lovelace" }
    "bo@acme.example"   = { firstName = "Bo", lastName = "Diaz" }
    "cy@acme.example"   = { firstName = "Cy", lastName = "Tanaka" }
  }

  teams = {
    "Support" = {
      identifier = "t-support"
      founder    = ""
      roles      = ["AUDITOR", "TEAM_ROLE"]
      members = [
        "eve@acme.example", "sam@acme.example", "tim@acme.example", "uma@acme.example", "vic@acme.example", "wes@acme.example",
        "xia@acme.example", "yul@acme.example", "zoe@acme.example", "abe@acme.example", "finn@acme.example", "dee@acme.example",
      ]
    }
    "Data Science" = {
      identifier = ""
      founder    = "ada@acme.example"
      roles      = ["DEVELOPER", "TEAM_ROLE"]
      members    = ["ada@acme.example", "bo@acme.example", "cy@acme.example"]
    }
  }

  founded = { for name, team in local.teams : team.founder => { name = name, accessKeyRoles = team.roles } if team.founder != "" }

  memberships = merge([
    for name, team in local.teams : {
      for email in team.members : "${name}/${email}" => { team = name, identifier = team.identifier, founder = team.founder, email = email, roles = team.roles }
    }
  ]...)
}

# The users. The founder of a new team is created together with it.
resource "terraform_data" "user" {
  for_each = local.users
  input    = each.key

  provisioner "local-exec" {
    command = "${path.module}/ensure-user.sh"
    environment = {
      EMAIL = each.key
      USER_JSON = jsonencode(merge(
        { email = each.key },
        each.value,
        contains(keys(local.founded), each.key) ? { team = local.founded[each.key] } : null,
      ))
    }
  }
}

resource "terraform_data" "membership" {
  for_each         = local.memberships
  triggers_replace = each.value.roles
  depends_on       = [terraform_data.user]

  provisioner "local-exec" {
    command = "${path.module}/ensure-member.sh"
    environment = {
      TEAM       = each.value.team
      IDENTIFIER = each.value.identifier
      FOUNDER    = each.value.founder
      EMAIL      = each.value.email
      ROLES      = jsonencode([for role in each.value.roles : { identifier = role }])
    }
  }
}
