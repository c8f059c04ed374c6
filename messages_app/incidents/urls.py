"""Routes of deployments."""

from django.urls import path

from messages_app.access.calls import make_routes
from messages_app.incidents.deployments import api as deployments_api
from messages_app.incidents.deployments import views as deployments

urlpatterns = [
    path("deployments/", deployments.deployment_list, name="deployment-list"),
    path("deployments/new/", deployments.new_deployment, name="deployment-new"),
]

api_urlpatterns = make_routes(deployments_api.CALLS)
