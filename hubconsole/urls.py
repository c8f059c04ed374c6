"""Route tables only."""

urlpatterns: list = []
