"""Plays the first hour of an agent with the client that openapi-generator writes in Python."""

import os

import subrosa_client as subrosa


def client(token=None):
    """Returns a client for one caller."""
    configuration = subrosa.Configuration(
        host=os.environ["SUBROSA_URL"], ssl_ca_cert=os.environ["SUBROSA_CA"], access_token=token
    )
    return subrosa.ApiClient(configuration)


user = subrosa.AgentsApi(client(os.environ["SUBROSA_USER_TOKEN"]))
nobody = subrosa.AgentsApi(client())

token = user.create_registration_token()
agent = nobody.register_agent(
    subrosa.RegisterRequest(registration_token=token.registration_token, agent_card_url=os.environ["SUBROSA_CARD"])
)
bearer = nobody.exchange_key(subrosa.ExchangeKeyRequest(api_key=agent.shared_api_key))

caller = client(bearer.bearer_token)
cases, files = subrosa.CasesApi(caller), subrosa.FilesApi(caller)
opened = cases.create_case(case_draft=subrosa.CaseDraft(title="Lease dispute between [Party 1] and [Party 2]"))
stored = files.add_files(opened.case_id, [os.environ["SUBROSA_FILE"]])
listed = files.list_files(opened.case_id)
page = cases.list_cases().actual_instance

same = listed.items[0].file_id == stored.items[0].file_id
print(f"files: {len(listed.items)}, listed: {str(len(page.items) > 0).lower()}, same: {str(same).lower()}")
user.disconnect_agent(agent.agent_id)
