"""Django's own admin over the message table: the columns that the product's list shows, nothing tuned."""

from django.contrib import admin
from django.urls import path

from messages_app.messages.models import Message


class StockAdmin(admin.ModelAdmin):
    list_display = (
        "msg_id",
        "state",
        "receive_timestamp",
        "service_name",
        "operation_name",
        "source_system",
        "correlation_id",
        "failed_error_code",
        "failed_count",
    )
    list_per_page = 50


admin.site.register(Message, StockAdmin)

urlpatterns = [path("admin/", admin.site.urls)]
