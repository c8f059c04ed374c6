"""Django's own admin for the message table, with the columns of the product's list and without tuning."""

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
