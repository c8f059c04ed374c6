"""Routes of login, sessions, tokens and the audit log."""

from django.urls import path

from messages_app.access import account_api, audit_views, token_api, token_views, unmasking_views
from messages_app.access.account_api import MeView
from messages_app.access.calls import make_routes
from messages_app.access.log_out import log_out
from messages_app.access.password_change import own_password
from messages_app.access.person import views as person_views
from messages_app.access.providers import mapping_views
from messages_app.access.providers import views as provider_views
from messages_app.access.second_factor import passkey_views
from messages_app.access.second_factor import views as second_factor_views
from messages_app.access.sessions import views as sessions_views
from messages_app.access.users import views as users_views
from messages_app.access.users.links import SetPasswordView
from messages_app.access.views import log_in, show_code

urlpatterns = [
    path("login/", log_in, name="login"),
    path("login/code/", show_code, name="login-code"),
    path("login/passkey/", passkey_views.give_challenge, name="passkey-challenge"),
    path("login/with/<slug:key>/", provider_views.begin_log_in, name="provider-login"),
    path("login/with/<slug:key>/callback/", provider_views.finish_log_in, name="provider-callback"),
    path("login/with/<slug:key>/log-out/", provider_views.take_logout, name="provider-logout"),
    path("login/no-role/", provider_views.show_no_role, name="no-role"),
    path("logout/", log_out, name="logout"),
    path("me/", person_views.own_settings, name="own-settings"),
    path("password/", own_password, name="password"),
    path("second-factor/", second_factor_views.second_factor, name="second-factor"),
    path("second-factor/start/", second_factor_views.start_setup, name="second-factor-start"),
    path("second-factor/confirm/", second_factor_views.confirm_setup, name="second-factor-confirm"),
    path("second-factor/change/", second_factor_views.change_second_factor, name="second-factor-change"),
    path("second-factor/passkeys/new/", passkey_views.new_passkey, name="passkey-new"),
    path("second-factor/passkeys/add/", passkey_views.store_passkey, name="passkey-add"),
    path("sessions/", sessions_views.session_list, name="sessions"),
    path("sessions/left/", sessions_views.remaining_time, name="session-left"),
    path("sessions/end-others/", sessions_views.end_others, name="sessions-end-others"),
    path("sessions/<id:session_id>/end/", sessions_views.end_one, name="session-end"),
    path("reveal/", unmasking_views.reveal_values, name="reveal"),
    path("reveal/end/", unmasking_views.end_revealing, name="reveal-end"),
    path("users/", users_views.user_list, name="user-list"),
    path("users/new/", users_views.new_user, name="user-new"),
    path("users/groups/", mapping_views.group_mappings, name="group-mappings"),
    path("users/groups/<id:mapping_id>/remove/", mapping_views.remove_mapping, name="group-mapping-remove"),
    path("users/<id:user_id>/", users_views.user_page_of, name="user"),
    *(
        path(f"users/<id:user_id>/{how}/", users_views.decide_on_user, {"how": how}, name=f"user-{how}")
        for how in users_views.DECISIONS
    ),
    path("tokens/", token_views.token_list, name="token-list"),
    path("tokens/new/", token_views.new_token, name="token-new"),
    path("tokens/<id:token_id>/revoke/", token_views.revoke_one, name="token-revoke"),
    path("set-password/<uidb64>/<token>/", SetPasswordView.as_view(), name="password-set"),
    path("audit/", audit_views.audit_list, name="audit-list"),
    path("audit/export/", audit_views.export_entries, name="audit-export"),
    path("audit/<id:entry_id>/", audit_views.show_entry, name="audit-entry"),
]

api_urlpatterns = [
    path("me/", MeView.as_view()),
    *make_routes([*account_api.CALLS, *token_api.CALLS]),
]
